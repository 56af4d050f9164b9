/// A secret that several holders share, for queues and other copyable values. The last holder's release wipes it.
public final class HeldSecret: Sendable {
    public let bytes: SecretBytes

    public init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// Number of bytes.
    public var count: Int { bytes.count }
}
