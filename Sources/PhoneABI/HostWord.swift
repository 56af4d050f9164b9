/// A word of the host's that says what a message is.
struct HostWord {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// So that a word can be switched over. Bytes are compared: for texts there are tables of Unicode's, larger than the core.
    @inline(never)
    static func ~= (word: StaticString, read: HostWord) -> Bool {
        // SAFETY: a StaticString's start and count describe bytes that live as long as the program.
        let known = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        return read.bytes.elementsEqual(known)
    }
}
