/// The Noise patterns of our protocol (specification revision 34, sections 7.4, 7.5 and 9.4).
///
///     IK:                        IKpsk1:                      X, one message:
///       <- s                       <- s                         <- s
///       ...                        ...                          ...
///       -> e, es, s, ss            -> e, es, s, ss, psk         -> e, es, s, ss
///       <- e, ee, se               <- e, ee, se
public enum HandshakePattern: Sendable, Equatable {
    /// Login, control and site links: both sides know each other's static key.
    case ik
    /// Enrolling and joining: the initiator's static key is new, and the code's one-time secret vouches for the key.
    case ikPSK1
    /// One message to a known key, through a carrier that must not read it (`OneWayMessage`).
    case x

    var noiseName: StaticString {
        switch self {
        case .ik: "IK"
        case .ikPSK1: "IKpsk1"
        case .x: "X"
        }
    }
}
