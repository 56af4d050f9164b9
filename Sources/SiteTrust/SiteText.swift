import Secrets

/// The errors of a text between a phone and its site's administrator.
public enum SiteTextError: Error, Equatable, Sendable {
    /// The text does not begin with the scheme.
    case otherScheme
    /// The text is of a newer version.
    case unknownVersion
    /// Characters are missing or changed.
    case damaged
}

/// Encodes bytes that are not secret: scheme, version, and base 32 (RFC 4648, section 6, upper case, no padding).
enum SiteText {
    /// `prefix` is the scheme and a version of one digit with its slash.
    static func format(_ prefix: String, _ bytes: [UInt8]) -> [UInt8] {
        [UInt8](prefix.utf8) + Base32.text(bytes)
    }

    /// Reads at most `limit` bytes. Ignores white space around the text, as from a paste, but not inside.
    static func parse(_ prefix: String, _ text: [UInt8], limit: Int) throws(SiteTextError) -> [UInt8] {
        let head = [UInt8](prefix.utf8)
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        var content = text.drop(while: isSpace)
        while let last = content.last, isSpace(last) { content.removeLast() }
        // Compare the scheme alone, without the version and its slash.
        guard content.starts(with: head.dropLast(2)) else { throw .otherScheme }
        guard content.starts(with: head) else { throw .unknownVersion }
        let characters = [UInt8](content.dropFirst(head.count))
        guard characters.count <= Base32.characterCount(byteCount: limit),
            let bytes = Base32.bytes(characters)
        else { throw .damaged }
        return bytes
    }
}
