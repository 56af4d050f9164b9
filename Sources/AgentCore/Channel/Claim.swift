/// Who message 1 says it is from. It can be replayed, and be forged by whoever holds the box's key, so it counts only once the
/// first transport message has decrypted (docs/decisions/003-noise-channel.md).
enum Claim: Equatable, Sendable {
    /// A phone with this key.
    case device([UInt8])
    /// A phone of the box's site, or whoever says so, with this key: its hello has to show a grant.
    case visitor([UInt8])
    /// Whoever has this key would say something to the box's site, and nothing to the box.
    case carried([UInt8])
    /// A new phone with this key, which knows the secret of the open code.
    case enrolling([UInt8])
}
