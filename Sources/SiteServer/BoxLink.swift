import EventLoop
import SiteCore
import SiteLink
import TCP

/// One connection of a box, which turns bytes into events. It decides nothing.
final class BoxLink: Sendable {
    /// The most bytes of one read.
    private static let readBytes = 16_384
    /// The time for a last message to go out.
    private static let farewell: Duration = .seconds(5)
    /// A link with fewer unsent bytes than this takes more messages.
    static let drainedBytes = 8_192

    let id: LinkID
    let connection: TCPConnection
    private let loop: EpollLoop
    // SAFETY: both are used on the loop alone, which is the executor of the link's owner.
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
    /// When the link ends unless the box sends something first.
    var deadline: Duration { end.deadline }

    /// Serves the link until it ends. `feed` gets each proof and message of the box.
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

    /// Queues a message for the next `sendSaid`. A box that does not read is dropped.
    func say(_ message: MessageFromSite) {
        guard let bytes = end.seal(message, now: loop.now()) else { return }
        if !connection.hold(bytes) { connection.close() }
    }

    func sendSaid() { connection.sendHeld() }

    /// Ends the link once all queued messages are sent.
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
