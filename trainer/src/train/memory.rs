//! Keeps freed memory instead of giving it back to the system.

/// A training step frees and takes the same large blocks again and again. By
/// default glibc returns each to the kernel, whose zeroing of fresh pages took
/// an eighth of the time of a step. The heaps that glibc gives to further
/// threads are returned whatever the thresholds; one heap for all is not, and
/// blocks this large are taken too rarely for threads to queue for it.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGEST: libc::c_int = 1 << 30;
        // SAFETY: mallopt only sets parameters of the allocator.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST);
            libc::mallopt(libc::M_TRIM_THRESHOLD, LARGEST);
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
    }
}
