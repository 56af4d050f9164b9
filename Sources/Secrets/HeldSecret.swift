/// A secret that several holders may pass around: for queues, enumerations and actions, which must be copyable.
/// The bytes are wiped when the last holder lets go.
public final class HeldSecret: Sendable {
    public let bytes: SecretBytes

    public init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// Number of bytes.
    public var count: Int { bytes.count }
}
