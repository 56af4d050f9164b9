import Names
import Secrets

/// A short form of a box's key that people compare: 26 letters and digits.
public struct BoxFingerprint: Sendable, Hashable {
    public static let byteCount = 16
    private static let context = [UInt8]("boxlink-site-box-fingerprint-1".utf8)

    /// The first 16 bytes of SHA-256 over a context and the key. To find a second key for one takes 2^128 attempts.
    public let bytes: [UInt8]

    /// - Parameter key: X25519 public key, 32 bytes.
    public init(of key: [UInt8]) {
        bytes = [UInt8](SHA256.hash(Self.context + key).prefix(Self.byteCount))
    }

    /// Returns nil unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads a copied fingerprint in upper or lower case. Returns nil if the text is not a fingerprint.
    public init?(_ text: String) {
        guard let bytes = CrockfordBase32.bytes(Array(text.lowercased().utf8)), bytes.count == Self.byteCount else {
            return nil
        }
        self.bytes = bytes
    }

    public var text: String { CrockfordBase32.text(bytes) }
}
