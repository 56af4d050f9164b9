/// The bounds of messages between the agent and its clients. In bytes, unless the name says otherwise.
public enum ControlLimits {
    /// One SOCK_SEQPACKET message in either direction.
    public static let messageBytes = 8_192
    /// The version of this protocol. Each side refuses any other. Version 1 had arrays with numbered kinds.
    public static let protocolVersion: UInt64 = 2
    /// The name of a terminal.
    public static let terminalBytes = 128
    /// The longest time, in seconds, that a command may wait for a tap.
    public static let waitSeconds: UInt64 = 300
    /// A sentence for the user.
    public static let textBytes = 1_024
    /// A helper's reason for not locking, for the log.
    public static let reasonBytes = 200
    /// A device's label or name, or another short name.
    public static let labelBytes = 64
    /// One part of a bundle. At most 64 entries fit into a part.
    public static let bundlePartBytes = 7_680
    /// The number of fields in a message, or in a record inside it.
    static let fields = 24
    /// The name of a field.
    static let fieldNameBytes = 32

    /// Returns the beginning of `text`: whole characters of at most `bytes` bytes.
    public static func cut(_ text: String, to bytes: Int = textBytes) -> String {
        var kept = text[...]
        while kept.utf8.count > bytes { kept.removeLast() }
        return String(kept)
    }
}
