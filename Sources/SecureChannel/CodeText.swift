import Secrets

/// The text of a code with a one-time secret, in guarded memory: a scheme, and base 32 of head ‖ secret ‖ tail.
package enum CodeText {
    package enum Failure: Error, Equatable, Sendable {
        /// The text does not begin with the scheme.
        case otherScheme
        /// The text is longer than any code of this kind.
        case tooLong
        case unknownVersion
        /// The base 32 is not canonical, or too short.
        case damaged
    }

    /// The parts of a code. The secret is 32 bytes.
    package struct Parts: ~Copyable, Sendable {
        package let head: [UInt8]
        package let secret: SecretBytes
        package let tail: [UInt8]
    }

    /// Returns the text, in ASCII. `prefix` is the scheme and a version of one digit with its slash: `boxlink:2/`.
    package static func format(
        prefix: StaticString, head: [UInt8], secret: borrowing SecretBytes, tail: [UInt8]
    ) -> SecretBytes {
        var content = SecretBytes(count: head.count + secret.count + tail.count)
        let secretCount = secret.count
        content.withMutableBytes { target in
            target.store(head.span.bytes, at: 0)
            secret.withBytes { secret in target.store(secret, at: head.count) }
            target.store(tail.span.bytes, at: head.count + secretCount)
        }
        let prefix = prefix.withUTF8Buffer { [UInt8]($0) }
        var text = SecretBytes(count: prefix.count + Base32.characterCount(byteCount: content.count))
        text.withMutableBytes { target in
            target.store(prefix.span.bytes, at: 0)
            content.withBytes { bytes in Base32.encode(bytes, into: &target, at: prefix.count) }
        }
        return text
    }

    /// Reads a text of at most `limit` bytes, whose head has `headBytes` and whose tail has at least one byte. Ignores
    /// white space around the text, as from a paste, but not inside.
    package static func parse(
        _ text: borrowing SecretBytes, prefix: StaticString, headBytes: Int, limit: Int
    ) throws(Failure) -> Parts {
        let content = try text.withBytes { (bytes) throws(Failure) in
            try decode(bytes.extracting(trimmed(bytes)), prefix.withUTF8Buffer { [UInt8]($0) }, limit)
        }
        let secretEnd = headBytes + HandshakeSizes.psk
        guard content.count > secretEnd else { throw .damaged }
        let (head, tail) = content.withBytes { bytes in
            (
                [UInt8](copying: bytes.extracting(0..<headBytes)),
                [UInt8](copying: bytes.extracting(secretEnd..<bytes.byteCount))
            )
        }
        return Parts(head: head, secret: content.slice(headBytes..<secretEnd), tail: tail)
    }

    private static func decode(_ text: RawSpan, _ prefix: [UInt8], _ limit: Int) throws(Failure) -> SecretBytes {
        // Compare the scheme alone, without the version and its slash.
        guard starts(text, with: prefix.dropLast(2)) else { throw .otherScheme }
        guard text.byteCount <= limit else { throw .tooLong }
        guard starts(text, with: prefix[...]) else { throw .unknownVersion }
        guard let content = Base32.decode(text.extracting(droppingFirst: prefix.count)) else { throw .damaged }
        return content
    }

    /// Returns the range of `text` without spaces, tabs and line ends around it.
    private static func trimmed(_ text: RawSpan) -> Range<Int> {
        var (start, end) = (0, text.byteCount)
        while start < end, isSpace(text.octet(at: start)) { start += 1 }
        while end > start, isSpace(text.octet(at: end - 1)) { end -= 1 }
        return start..<end
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static func starts(_ text: RawSpan, with prefix: ArraySlice<UInt8>) -> Bool {
        guard text.byteCount >= prefix.count else { return false }
        return zip(0..., prefix).allSatisfy { text.octet(at: $0) == $1 }
    }
}
