import Names
import SiteControl

/// Fingerprints of boxes, as people paste them: one a line, in upper or lower case; what stands behind a space is for people.
public struct FingerprintList: Equatable, Sendable {
    /// 16 bytes each, each once.
    public private(set) var bytes: [[UInt8]] = []

    /// Nil where a line has something else, or there are more than a request takes.
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
