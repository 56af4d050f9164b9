import Secrets

/// Why a text is not what a phone and its site's administrator hand to each other.
public enum SiteTextError: Error, Equatable, Sendable {
    /// It does not begin with the scheme.
    case otherScheme
    /// Of a newer version.
    case unknownVersion
    /// Characters are missing or changed.
    case damaged
}

/// Text of bytes that are no secret: a scheme with its version, and base 32 (RFC 4648, section 6, upper case, without padding).
enum SiteText {
    /// `prefix` is the scheme and a version of one digit with its slash.
    static func format(_ prefix: String, _ bytes: [UInt8]) -> [UInt8] {
        [UInt8](prefix.utf8) + Base32.text(bytes)
    }

    /// At most `limit` bytes. White space around the text is left out, as of a line or a paste; inside it is an error.
    static func parse(_ prefix: String, _ text: [UInt8], limit: Int) throws(SiteTextError) -> [UInt8] {
        let head = [UInt8](prefix.utf8)
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        var content = text.drop(while: isSpace)
        while let last = content.last, isSpace(last) { content.removeLast() }
        // Without the version and its slash.
        guard content.starts(with: head.dropLast(2)) else { throw .otherScheme }
        guard content.starts(with: head) else { throw .unknownVersion }
        let characters = [UInt8](content.dropFirst(head.count))
        guard characters.count <= Base32.characterCount(byteCount: limit),
            let bytes = Base32.bytes(characters)
        else { throw .damaged }
        return bytes
    }
}
