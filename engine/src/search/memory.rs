//! Large zeroed blocks, straight from the system.

/// Types for which all bits zero is a valid value.
///
/// # Safety
/// The promise must hold for every field.
pub unsafe trait Zeroed {}

/// `count` zeroed values. The pages come untouched from the system, so a large
/// `Hash` costs neither start-up time nor resident memory until it is used.
pub fn zeroed<T: Zeroed>(count: usize) -> Box<[T]> {
    // SAFETY: `Zeroed` promises that zero bits are a valid `T`.
    let block = unsafe { Box::<[T]>::new_zeroed_slice(count).assume_init() };
    advise_huge_pages(&block);
    block
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

/// Tree walks jump all over their memory; with small pages most of their time
/// goes into address translation (measured: a third of all tree time).
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
