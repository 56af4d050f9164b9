/// The two Noise patterns of our protocol (specification revision 34, sections 7.5 and 9.4).
///
///     IK:                        IKpsk1:
///       <- s                       <- s
///       ...                        ...
///       -> e, es, s, ss            -> e, es, s, ss, psk
///       <- e, ee, se               <- e, ee, se
public enum HandshakePattern: Sendable, Equatable {
    /// Login and control: both sides know each other's static key.
    case ik
    /// Enrolment: the phone's static key is new, the one-time secret of the enrolment code vouches for it.
    case ikPSK1

    var noiseName: StaticString {
        switch self {
        case .ik: "IK"
        case .ikPSK1: "IKpsk1"
        }
    }
}
