import Names
import SiteControl

/// Pasted fingerprints of boxes: one in each line, in upper or lower case. Text after a space is ignored.
public struct FingerprintList: Equatable, Sendable {
    /// 16 bytes each, without duplicates.
    public private(set) var bytes: [[UInt8]] = []

    /// Returns nil if a line is not a fingerprint, or if there are more than a request allows.
    public init?(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            guard let word = line.split(whereSeparator: \.isWhitespace).first else { continue }
            guard let found = CrockfordBase32.bytes(Array(word.lowercased().utf8)),
                found.count == BulkWish.fingerprintBytes
            else { return nil }
            if !bytes.contains(found) { bytes.append(found) }
        }
        guard bytes.count <= BulkWish.fingerprintLimit else { return nil }
    }

    public var isEmpty: Bool { bytes.isEmpty }
    public var texts: [String] { bytes.map(CrockfordBase32.text) }
}
