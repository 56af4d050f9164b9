import CPAM

/// Memory for one received message: never swapped, in no core dump, not in a forked child, and wiped at the end.
struct LockedBuffer: ~Copyable {
    // SAFETY: our own pages, from init to deinit; every bit pattern is a byte. Nobody keeps the pointer.
    let bytes: UnsafeMutableRawBufferPointer

    /// Nil when the memory cannot be had or locked (RLIMIT_MEMLOCK): then there is no place for a password.
    init?(count: Int) {
        guard count > 0, let start = cpam_map(count) else { return nil }
        // Before anything is in it. A kernel that does not know an advice refuses it: then dumps and children
        // are as safe as the program made them.
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
