/// Bounds of everything that commands, greeters and helpers say to the agent, and the agent to them, in bytes unless the name says
/// otherwise.
public enum ControlLimits {
    /// One SOCK_SEQPACKET message, either way.
    public static let messageBytes = 8_192
    /// Version of this protocol; each side refuses another one. Version 1 had arrays with numbered kinds.
    public static let protocolVersion: UInt64 = 2
    /// A terminal.
    public static let terminalBytes = 128
    /// The longest a command may ask to wait for a tap, in seconds.
    public static let waitSeconds: UInt64 = 300
    /// A sentence for a person.
    public static let textBytes = 1_024
    /// What a helper says of why it did not lock, for the log.
    public static let reasonBytes = 200
    /// A device's label, a name of one, or another short name.
    public static let labelBytes = 64
    /// A part of a bundle: at most 64 entries are in it.
    public static let bundlePartBytes = 7_680
    /// Fields of one message, or of one record in it.
    static let fields = 24
    /// The name of a field.
    static let fieldNameBytes = 32

    /// As much of the beginning of `text` as has at most `bytes` bytes, in whole characters.
    public static func cut(_ text: String, to bytes: Int = textBytes) -> String {
        var kept = text[...]
        while kept.utf8.count > bytes { kept.removeLast() }
        return String(kept)
    }
}
