import CPAM

/// Memory for one message. It is never swapped, dumped or inherited by a forked child, and is wiped at the end.
struct LockedBuffer: ~Copyable {
    // SAFETY: these pages are ours from init to deinit, every bit pattern is a byte, and the pointer is not kept.
    let bytes: UnsafeMutableRawBufferPointer

    /// Returns nil if the memory cannot be allocated or locked (RLIMIT_MEMLOCK). Without locked memory, no place is
    /// safe for a password.
    init?(count: Int) {
        guard count > 0, let start = cpam_map(count) else { return nil }
        // The advice is given before any data is stored. An old kernel may not know this advice. Dumps and children are
        // then only as safe as the program made them.
        _ = madvise(start, count, MADV_DONTDUMP)
        _ = madvise(start, count, MADV_DONTFORK)
        guard mlock(start, count) == 0 else {
            _ = munmap(start, count)
            return nil
        }
        // SAFETY: `count` bytes were mapped at `start`.
        bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    deinit {
        guard let start = bytes.baseAddress else { return }
        explicit_bzero(start, bytes.count)
        _ = munmap(start, bytes.count)
    }
}
