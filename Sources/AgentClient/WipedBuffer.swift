import CLinux

/// A fixed number of bytes that are wiped in deinit, for messages that may carry a one-time secret.
public struct WipedBuffer: ~Copyable {
    // SAFETY: owned by this value alone, `count` bytes long, and freed only in deinit.
    private let memory: UnsafeMutableRawBufferPointer

    /// Allocates zeroed bytes.
    public init(count: Int) {
        // SAFETY: the allocation is initialised before it is read.
        memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        wipe()
        memory.deallocate()
    }

    public var count: Int { memory.count }

    /// Overwrites the bytes in a way that the optimiser keeps.
    public borrowing func wipe() {
        clinux_wipe(memory.baseAddress, memory.count)
    }

    /// Lends the first `count` bytes, or all if there are fewer.
    public borrowing func withBytes<Result, Failure: Error>(
        first count: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: the bytes are initialised, live as long as `self`, and are not written while they are lent.
        let bytes = UnsafeRawBufferPointer(memory)
        return try body(bytes.bytes.extracting(first: max(0, min(count, memory.count))))
    }

    /// Lends all bytes for writing.
    public mutating func withMutableBytes<Result, Failure: Error>(
        _ body: (inout MutableRawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: the bytes are initialised and exclusively ours while `self` is borrowed for writing.
        var span = memory.mutableBytes
        return try body(&span)
    }

    /// Passes the address and the count of the bytes to the system calls of this module.
    mutating func withPointer<Result>(_ body: (UnsafeMutableRawPointer?, Int) -> Result) -> Result {
        // SAFETY: the callee writes at most the count that it is given, and does not keep the pointer.
        body(memory.baseAddress, memory.count)
    }
}
