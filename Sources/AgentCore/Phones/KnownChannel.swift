import Names
import PhoneMessages
import VaultPort

/// A link from a phone, as far as it is known who is at its other end.
struct KnownChannel: Sendable {
    enum Peer: Equatable, Sendable {
        case halfOpen
        /// It has proved its key, and its grant does not count yet.
        case visitor(Visitor)
        case enrolling
        /// Its messages are handed on to the box's site, and nothing else is heard from it.
        case carried
        case device(DeviceID)
    }

    let connection: String
    var peer = Peer.halfOpen
    /// What the phone at the other end understands; nil before its hello.
    var capabilities: Capabilities?
    /// Those whose last answer has not left, one entry each: a phone may use an id again while it is open.
    var open: [RequestID] = []
    /// When it opened, or its phone last asked for more than a watcher does.
    var usedAt: Duration = .zero
    /// It has no place of its own yet, see `ChannelPlaces`.
    var isGuest = false
    /// It was told to end: nothing more is heard from it, nor said to it.
    var isOver = false
}
