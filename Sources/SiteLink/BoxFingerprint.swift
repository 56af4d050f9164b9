import Names
import Secrets

/// Stands for a box's key where people compare it: 26 letters and digits.
public struct BoxFingerprint: Sendable, Hashable {
    public static let byteCount = 16
    private static let context = [UInt8]("boxlink-site-box-fingerprint-1".utf8)

    /// The first 16 bytes of SHA-256 of a context and the key. Whoever looks for another key with the same one tries 2^128.
    public let bytes: [UInt8]

    /// - Parameter key: X25519 public key, 32 bytes.
    public init(of key: [UInt8]) {
        bytes = [UInt8](SHA256.hash(Self.context + key).prefix(Self.byteCount))
    }

    /// 16 bytes; nil for another length.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads what people have copied: upper or lower case. Nil: it is none.
    public init?(_ text: String) {
        guard let bytes = CrockfordBase32.bytes(Array(text.lowercased().utf8)), bytes.count == Self.byteCount else {
            return nil
        }
        self.bytes = bytes
    }

    public var text: String { CrockfordBase32.text(bytes) }
}
