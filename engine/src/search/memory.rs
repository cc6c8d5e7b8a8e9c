//! Large zeroed blocks, straight from the system.

use std::alloc::{Layout, alloc_zeroed};

/// Types for which all bits zero is a valid value.
///
/// # Safety
/// The promise must hold for every field.
pub unsafe trait Zeroed {}

/// How a block is used decides its pages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// Filled from its ends: huge pages spare address translation, which took a
    /// third of all tree time.
    Huge,
    /// Touched here and there: a huge page would be cleared for each entry.
    Small,
}

/// `count` zeroed values, or `None` when the system has no such block. The
/// pages come untouched from the system, so a large `Hash` costs neither
/// start-up time nor resident memory until it is used.
pub fn zeroed<T: Zeroed>(count: usize, pages: Pages) -> Option<Box<[T]>> {
    let layout = Layout::array::<T>(count).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the layout is not empty. `Zeroed` promises that zero bits are a
    // valid `T`, and the box frees the block with the same layout.
    let block = unsafe {
        let start = alloc_zeroed(layout).cast::<T>();
        if start.is_null() {
            return None;
        }
        Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, count))
    };
    if pages == Pages::Huge {
        advise_huge_pages(&block);
    }
    Some(block)
}

/// Starts loading a value into the processor's cache.
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: prefetching reads nothing and cannot fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(target_os = "linux")]
fn advise_huge_pages<T>(block: &[T]) {
    const PAGE: usize = 4096;
    let start = (block.as_ptr() as usize).next_multiple_of(PAGE);
    let end = (block.as_ptr() as usize + size_of_val(block)) & !(PAGE - 1);
    if end > start {
        // SAFETY: the range lies within a live allocation, and the advice does
        // not change what the memory holds. If it fails, pages stay small.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages<T>(_block: &[T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    // SAFETY: zero is a valid `u64`.
    unsafe impl Zeroed for u64 {}

    #[test]
    fn an_impossible_block_is_refused_not_fatal() {
        assert!(zeroed::<u64>(1 << 58, Pages::Small).is_none());
        assert!(zeroed::<u64>(1 << 12, Pages::Huge).unwrap().iter().all(|x| *x == 0));
    }
}
