import PageCore
import SiteControl
import TextOutput

extension SiteDesk {
    /// The most replies that are taken: the status, and the alarms after it.
    private static let alarmsListed = 32

    /// Returns boxsited's status, and the alarms that need an action soon.
    func status(
        as administrator: String
    ) async throws(DeskFailure) -> (now: SiteStatus, alarms: [String]) {
        let replies = try await ask(.status, as: administrator, limit: Self.alarmsListed).replies
        guard case .status(let status)? = replies.first else { throw Self.unexpected }
        return (
            status,
            replies.compactMap { if case .alarm(let text) = $0 { Printable.text(text) } else { nil } }
        )
    }

    /// Returns a status that many viewers share. It is requested again after `PageLimits.streamLookSeconds`.
    func sharedStatus(as administrator: String) async throws(DeskFailure) -> SiteStatus {
        if let (status, at) = lastStatus, loop.now() < at + .seconds(PageLimits.streamLookSeconds) { return status }
        let status = try await status(as: administrator).now
        lastStatus = (status, loop.now())
        return status
    }

    /// Returns a part of the list of boxes.
    func boxes(_ wish: ListWish, as administrator: String) async throws(DeskFailure) -> (
        rows: [BoxListing], end: ListEnd
    ) {
        try await part(wish, as: administrator) { if case .box(let box) = $0 { box } else { nil } }
    }

    /// Returns a part of the list of phones.
    func phones(_ wish: ListWish, as administrator: String) async throws(DeskFailure) -> (
        rows: [PhoneListing], end: ListEnd
    ) {
        try await part(wish, as: administrator) { if case .phone(let phone) = $0 { phone } else { nil } }
    }

    /// Returns the box that now has that number, or nil.
    func box(_ number: String, as administrator: String) async throws(DeskFailure) -> BoxListing? {
        var wish = ListWish(.boxes)
        wish.number = number
        for case .box(let box) in try await ask(.list(wish), as: administrator).replies { return box }
        return nil
    }

    /// Returns the phone with that complete id.
    func phone(_ id: String, as administrator: String) async throws(DeskFailure) -> PhoneListing? {
        var wish = ListWish(.phones)
        wish.phone = id
        for case .phone(let phone) in try await ask(.list(wish), as: administrator).replies where phone.id == id {
            return phone
        }
        return nil
    }

    func part<Row>(
        _ wish: ListWish, as administrator: String, _ row: (SiteReply) -> Row?
    ) async throws(DeskFailure) -> (rows: [Row], end: ListEnd) {
        // Asks for the rows, and for the reply that ends the list.
        let replies = try await ask(.list(wish), as: administrator, limit: Int(clamping: wish.limit) + 1).replies
        guard case .listEnd(let end)? = replies.last else { throw Self.unexpected }
        return (replies.compactMap(row), end)
    }

    /// Returns the grant's text for the phone.
    func grant(_ request: SiteRequest, as administrator: String) async throws(DeskFailure) -> String {
        guard case .grant(let text)? = try await ask(request, as: administrator).replies.first else {
            throw Self.unexpected
        }
        return text
    }

    static let unexpected = DeskFailure(
        kind: .away, what: "boxsited has another version",
        cure: "install boxsite and boxsite-page of the same version")
}
