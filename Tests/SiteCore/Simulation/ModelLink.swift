import SiteLink

@testable import SiteCore

/// One link between a box and a server: messages on their way, in order.
final class ModelLink {
    let id: LinkID
    // The world keeps both for as long as it runs; they keep their links.
    unowned let server: ModelServer
    unowned let box: any ModelBox
    let openedAt: Duration
    var toBox: [MessageFromSite] = []
    var toSite: [MessageToSite] = []
    var wantsDrain = false
    /// The server ends it once what was said is read.
    var isClosing = false
    private(set) var isOver = false

    init(_ id: LinkID, _ server: ModelServer, _ box: any ModelBox, at now: Duration) {
        self.id = id
        self.server = server
        self.box = box
        openedAt = now
    }

    /// Ends it at both ends.
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
