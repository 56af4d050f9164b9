/// A word in a host's message, such as the first one, which names the message.
struct HostWord {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Lets a switch match words. Compares bytes: a comparison of texts needs Unicode's tables, larger than the core.
    @inline(never)
    static func ~= (word: StaticString, read: HostWord) -> Bool {
        // SAFETY: a StaticString's start and count describe bytes that live as long as the program.
        let known = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        return read.bytes.elementsEqual(known)
    }
}
