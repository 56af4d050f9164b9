import Names
import PhoneMessages
import VaultPort

/// A link from a phone, and the known facts about its peer.
struct KnownChannel: Sendable {
    enum Peer: Equatable, Sendable {
        case halfOpen
        /// The peer has proved its key, but its grant is not accepted yet.
        case visitor(Visitor)
        case enrolling
        /// The box only forwards the peer's messages to its site.
        case carried
        case device(DeviceID)
    }

    let connection: String
    var peer = Peer.halfOpen
    /// The phone's capabilities, or nil before its hello.
    var capabilities: Capabilities?
    /// The requests whose last answer has not left. An id may occur twice: phones may reuse it while it is open.
    var open: [RequestID] = []
    /// The time of the link's opening, or of the last request that does more than watch.
    var usedAt: Duration = .zero
    /// True while the channel has no place of its own; see `ChannelPlaces`.
    var isGuest = false
    /// True once the channel was told to end. Nothing more is received or sent.
    var isOver = false
}
