import ControlProtocol
import EventLoop
import Secrets
import SecureChannel
import SiteControl
import SiteCore
import SiteStore
import SiteTrust

/// Enrolments of phones. A command or the page shows the code and then the digits, at any server of the site.
extension SiteControlConnection {
    /// How long an answer waits for a change.
    private static let waitLimit: Duration = .seconds(10)
    private static let codeIDBytes = 8

    func enrol(_ request: SiteRequest) async throws(SiteStoreError) {
        switch request {
        case .enrolPhone(let user, let label, let groups, let minutes, let siteHeld):
            try await beginEnrolment(user, label, groups, minutes, siteHeld ? .siteHeld : .phoneHeld)
        case .enrolment(let code, let state):
            guard let listing = try await next(code, after: state) else { return await unknownCode() }
            await say(.enrolment(listing))
            await say(.done(text: ""))
        case .confirmEnrolment(let code, let digits, true):
            guard let (terms, _) = await terms() else { return }
            // The user may have left the directory since the code was made.
            let user = try await server.store.enrolment(code)?.row.user
            if let user { guard await isInDirectory(user, isNew: false) else { return } }
            _ = try await server.store.confirmEnrolment(code, digits: digits, by: actor, terms)
            await server.feed(.grantIssued)
            if let user { await sawInDirectory(user) }
            await say(.done(text: ""))
        case .confirmEnrolment(let code, _, false):
            try await server.store.endEnrolment(code, as: .declined, by: actor)
            await say(.done(text: ""))
        case .cancelEnrolment(let code):
            try await server.store.endEnrolment(code, as: .cancelled, by: actor)
            await say(.done(text: ""))
        default: break
        }
    }

    private func unknownCode() async {
        await say(.failure(.notFound, what: "the site does not have this enrolment code", cure: "start with a new one"))
    }

    private func beginEnrolment(
        _ user: String, _ label: String?, _ groups: [UInt16], _ minutes: UInt64, _ mode: GrantCredentialMode
    ) async throws(SiteStoreError) {
        guard let groups = await checked(user, label, groups), await isInDirectory(user) else { return }
        guard EnrolmentRow.minutes.contains(minutes) else {
            return await refuse("a code can be valid for 1 to 60 minutes", "name another time")
        }
        // Without this check, the person could get a code whose phone cannot get a grant.
        guard let (_, document) = await terms() else { return }
        let codeID = randomBytes(count: Self.codeIDBytes)
        guard let secret = try? server.keys.enrolmentSecret(codeID: codeID),
            let code = SiteEnrolmentCode(
                rootKey: document.facts.rootKey, siteKey: server.keys.sitePublicKey, codeID: codeID, secret: secret,
                site: server.site.bytes)
        else { return await refuse("the code could not be created", "see boxsite status") }
        let offer = EnrolmentOffer(user: user, label: label, groups: groups, mode: mode, minutes: minutes)
        try await server.store.beginEnrolment(offer, codeID: codeID, by: actor)
        let text = HeldSecret(code.format())
        do throws(SocketError) {
            try await connection.send(limit: ControlLimits.messageBytes, until: loop.now() + Self.patience) { output in
                text.bytes.withBytes { bytes in
                    (try? SiteReply.encodeEnrolmentCode(id: codeID, code: bytes, into: &output)) ?? -1
                }
            }
            await say(.done(text: ""))
        } catch {
            // The code did not reach the client, so nobody can use it.
            try await server.store.endEnrolment(codeID, as: .cancelled, by: actor)
        }
    }

    /// Returns the enrolment once its state is no longer `state`, or after `waitLimit`. Returns nil if it is unknown.
    private func next(_ code: [UInt8], after state: String) async throws(SiteStoreError) -> EnrolmentListing? {
        let until = loop.now() + Self.waitLimit
        while true {
            guard let found = try await server.store.enrolment(code), sees(found.row.groups, .addPhone) else {
                return nil
            }
            let listing = listing(found.row, found.isPending)
            guard listing.state == state, loop.now() < until,
                (try? await loop.sleep(until: loop.now() + SiteEnrolment.lookInterval)) != nil
            else { return listing }
        }
    }

    private func listing(_ row: EnrolmentRow, _ isPending: Bool) -> EnrolmentListing {
        var listing = EnrolmentListing()
        let isOver = !isPending && [.open, .claimed, .shown].contains(row.state)
        listing.state = isOver ? "over" : row.state.rawValue
        listing.user = row.user
        listing.phone = row.phoneName
        listing.digits = row.digits
        listing.expiry = row.expiry
        return listing
    }
}
