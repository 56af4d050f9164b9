import SiteLink

@testable import SiteCore

/// One link between a box and a server, with its messages in transit, in order.
final class ModelLink {
    let id: LinkID
    // The world owns server and box for its whole run, and both own their links.
    unowned let server: ModelServer
    unowned let box: any ModelBox
    let openedAt: Duration
    var toBox: [MessageFromSite] = []
    var toSite: [MessageToSite] = []
    var wantsDrain = false
    /// True if the server ends the link after the box has read all messages.
    var isClosing = false
    private(set) var isOver = false

    init(_ id: LinkID, _ server: ModelServer, _ box: any ModelBox, at now: Duration) {
        self.id = id
        self.server = server
        self.box = box
        openedAt = now
    }

    func end() {
        guard !isOver else { return }
        isOver = true
        box.lost(self)
        server.lost(self)
    }
}

/// A box at its end of a link.
protocol ModelBox: AnyObject {
    var key: [UInt8] { get }
    var address: String { get }
    func read(_ message: MessageFromSite, on link: ModelLink)
    func lost(_ link: ModelLink)
}
