/// The identity that message 1 claims. Message 1 can be replayed, and a holder of the box's key can forge it. The claim
/// therefore counts only after the first transport message decrypts (docs/decisions/003-noise-channel.md).
enum Claim: Equatable, Sendable {
    /// A phone with this key.
    case device([UInt8])
    /// A peer with this key that claims to be a phone of the box's site. Its hello must show a grant.
    case visitor([UInt8])
    /// An unknown phone with this key, which has messages only for the box's site.
    case carried([UInt8])
    /// A new phone with this key, which knows the secret of the open code.
    case enrolling([UInt8])
}
