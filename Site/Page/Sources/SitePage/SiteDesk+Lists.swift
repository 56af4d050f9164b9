import PageCore
import SiteControl
import TextOutput

extension SiteDesk {
    /// Boxes of one list: more than a site may have.
    private static let boxesListed = 100_000
    /// The status, and what comes behind it.
    private static let alarmsListed = 32

    /// How boxsited is, and what somebody has to do soon.
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

    /// The same for many who look at once: asked anew after `PageLimits.streamLookSeconds`.
    func sharedStatus(as administrator: String) async throws(DeskFailure) -> SiteStatus {
        if let (status, at) = lastStatus, loop.now() < at + .seconds(PageLimits.streamLookSeconds) { return status }
        let status = try await status(as: administrator).now
        lastStatus = (status, loop.now())
        return status
    }

    func boxes(as administrator: String) async throws(DeskFailure) -> [BoxListing] {
        try await ask(.boxes, as: administrator, limit: Self.boxesListed).replies.compactMap {
            if case .box(let box) = $0 { box } else { nil }
        }
    }

    func phones(of user: String?, as administrator: String) async throws(DeskFailure) -> [PhoneListing] {
        try await ask(.phones(user: user), as: administrator, limit: SiteControlLimits.phonesListed).replies.compactMap
        {
            if case .phone(let phone) = $0 { phone } else { nil }
        }
    }

    /// The text that the phone takes.
    func grant(_ request: SiteRequest, as administrator: String) async throws(DeskFailure) -> String {
        guard case .grant(let text)? = try await ask(request, as: administrator).replies.first else {
            throw Self.unexpected
        }
        return text
    }

    static let unexpected = DeskFailure(
        kind: .away, what: "boxsited's answer is of another version",
        cure: "install boxsite and boxsite-page of one version")
}
