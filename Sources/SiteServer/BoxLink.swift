import EventLoop
import SiteCore
import SiteLink
import TCP

/// One connection of a box: bytes in, events out. It decides nothing.
final class BoxLink: Sendable {
    /// What one read takes at most.
    private static let readBytes = 16_384
    /// For a last message to go out.
    private static let farewell: Duration = .seconds(5)
    /// Below so many bytes a link takes more of what it was not told yet.
    static let drainedBytes = 8_192

    let id: LinkID
    let connection: TCPConnection
    private let loop: EpollLoop
    // SAFETY: both are used on the loop alone, which is the executor of whoever holds this link.
    nonisolated(unsafe) private let end: SiteServerEnd
    nonisolated(unsafe) private var isClosing = false
    // SAFETY: as above.
    /// Phones that are enrolled through the box.
    nonisolated(unsafe) var enrolments: [CarryNumber: CarriedEnrolment] = [:]

    init(_ id: LinkID, _ connection: TCPConnection, _ end: SiteServerEnd) {
        self.id = id
        self.connection = connection
        self.end = end
        loop = connection.loop
    }

    /// Without the port.
    var address: String { connection.peer.host }
    /// When the link is to be ended unless something comes before.
    var deadline: Duration { end.deadline }

    /// Serves the link until it is over. `feed` hears what the box proves and says.
    func run(_ feed: @Sendable (SiteEvent) async -> Void) async {
        _ = connection.send(end.opening)
        while !isClosing, let bytes = try? await connection.receive(upTo: Self.readBytes), !bytes.isEmpty {
            for event in end.receive(bytes, now: loop.now()) {
                switch event {
                case .write(let bytes): if !connection.send(bytes) { return connection.close() }
                case .proved(let key, let codeID): await feed(.proved(id, key: key, codeID: codeID))
                case .said(let message): await feed(.said(id, message))
                case .ended: return isClosing ? () : connection.close()
                }
            }
        }
        if !isClosing { connection.close() }
    }

    /// Says something to the box, with the next `sendSaid`. A box that does not read is dropped.
    func say(_ message: MessageFromSite) {
        guard let bytes = end.seal(message, now: loop.now()) else { return }
        if !connection.hold(bytes) { connection.close() }
    }

    func sendSaid() { connection.sendHeld() }

    /// Ends the link once what was said is sent.
    func close() {
        guard !isClosing else { return }
        isClosing = true
        _ = connection.send(end.close())
        loop.spawn { [connection, loop] in await connection.finish(by: loop.now() + Self.farewell) }
    }

    func drop() {
        isClosing = true
        connection.close()
    }
}
