import Crypto

/// A secret that the proxy sends with each request, so that other programs of its user cannot speak for it. The page has
/// only the hash, which any user may read.
public struct ProxySecret: Equatable, Sendable {
    /// The lower-case name of the header that carries the secret.
    public static let header = "x-boxsite-secret"
    /// The bytes of a secret. A shorter one could be guessed from its hash.
    static let lengths = 32...128

    private let hash: [UInt8]

    /// - Parameter hash: The secret's SHA-256 in 64 hexadecimal digits, as sha256sum(1) prints it. Nil if it is not that.
    public init?(hash text: String) {
        guard let hash = Hexadecimal.bytes(text.lowercased(), count: SHA256.byteCount) else { return nil }
        self.hash = hash
    }

    /// Returns whether the header was sent once, with the secret. The comparison takes the same time for all secrets of
    /// a length.
    public func isSent(_ values: [String]) -> Bool {
        guard values.count == 1, let sent = values.first, Self.lengths.contains(sent.utf8.count) else { return false }
        return SHA256.hash(data: Array(sent.utf8)) == hash
    }
}
