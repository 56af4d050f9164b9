import ControlProtocol
import Names
import SiteControl
import SiteCore
import SiteStore
import SiteTrust

extension SiteControlConnection {
    /// Returns the phone to add, or nil after it has reported a problem.
    func wish(
        _ user: String, _ code: String, _ label: String?, _ groups: [UInt16], _ siteHeld: Bool
    ) async -> PhoneWish? {
        if siteHeld { guard await canHold() else { return nil } }
        guard let groups = await checked(user, label, groups), await isInDirectory(user) else { return nil }
        do throws(SiteTextError) {
            let code = try SitePhoneCode(parsing: Array(code.utf8))
            return PhoneWish(
                key: code.phoneKey, user: user, label: label, groups: groups, mode: siteHeld ? .siteHeld : .phoneHeld)
        } catch {
            let (what, cure) =
                switch error {
                case .otherScheme:
                    ("this is not a phone's text", "the phone shows its text, which begins with boxsite-phone:1/")
                case .unknownVersion: ("the phone's text is of a newer version", "update boxsite and boxsited")
                case .damaged: ("the phone's text is damaged", "copy all of it from the phone again")
                }
            await refuse(what, cure)
            return nil
        }
    }

    /// Returns whether phones would believe the site's key. If not, the administrator is told why.
    private func canHold() async -> Bool {
        let document = await server.ask { machine, _ in machine.pin.document }
        if server.holding?.statement(by: document) != nil { return true }
        await refuse(
            "the site cannot hold passwords: its root has not signed its key",
            "run boxsite key --root-key FILE at the server, and restart every boxsited")
        return false
    }

    /// Returns the groups if name, label and groups are valid for a phone. Returns nil after it has reported a problem.
    func checked(_ user: String, _ label: String?, _ groups: [UInt16]) async -> SiteGroups? {
        guard SitePhone.isUserName(Array(user.utf8)) else {
            await refuse(
                "\(user) is not a valid name for a user of the site",
                "use 1 to 64 bytes without /, : or control characters, not beginning with -, and not . or ..")
            return nil
        }
        guard label.map(SitePhone.isLabel) ?? true else {
            await refuse("the label is not valid", "use at most 64 bytes without control characters")
            return nil
        }
        guard let groups = SiteGroups(groups) else {
            await refuse("the groups are not valid", "name 1 to 8 groups from 1 to 65535, each once")
            return nil
        }
        return groups
    }

    func refuse(_ what: String, _ cure: String) async {
        await say(.failure(.invalid, what: ControlLimits.cut(what), cure: cure))
    }

    /// Returns the terms for a grant now and the document that goes with it, or nil after it has reported a problem.
    func terms() async -> (GrantTerms, SiteDocument)? {
        let (time, doubt, document, issuing) = await server.ask { machine, now in
            (
                machine.seconds(now: now),
                machine.doubtOfAll(now: now)
                    ?? (machine.signing.issuing.canSign(.phones) ? nil : machine.doubt(now: now)),
                machine.pin.document, machine.signing.issuing
            )
        }
        if doubt == nil, let time { return (GrantTerms(issuing, time: time), document) }
        await say(
            .failure(
                time == nil ? .busy : .fault, what: ControlLimits.cut("cannot sign now: \(doubt ?? "")"),
                cure: "see boxsite status"))
        return nil
    }

    /// Sends the text that a phone takes, for a grant that was just issued.
    func sayGrant(_ grant: ClaimedGrant, _ document: SiteDocument) async {
        await server.feed(.grantIssued)
        var siteKey: ClaimedSiteKeyStatement?
        if grant.facts.mode == .siteHeld {
            guard let statement = server.holding?.statement(by: document) else {
                return await refuse(
                    "this server cannot send the phone the site's key", "run boxsite key at it; see boxsite(1)")
            }
            siteKey = statement.claimed
        }
        let code = SiteGrantCode(document: document.claimed, grant: grant, siteKey: siteKey)
        await say(.grant(text: String(decoding: code.text, as: UTF8.self)))
    }

    /// Lists all phones or those of one user, up to the limit of a listing.
    func listPhones(of user: String?) async throws(SiteStoreError) {
        var last: Int64 = 0
        var count = 0
        while count < SiteControlLimits.phonesListed {
            let page = try await server.store.phones(after: last, of: user)
            guard let end = page.last else { return await say(.done(text: "")) }
            for phone in page where sees(phone.groups, .seePhones) { await say(.phone(listing(phone))) }
            last = end.id
            count += page.count
        }
        await say(
            .done(text: "there may be more than these \(count) phones; name a user: boxsite phone list --user NAME"))
    }

    func listing(_ phone: SitePhone) -> PhoneListing {
        var listing = PhoneListing()
        listing.user = phone.owner.name
        listing.userID = phone.owner.userID.bytes
        listing.id = id(of: phone)
        listing.key = phone.key
        listing.label = phone.label
        listing.groups = phone.groups.numbers
        listing.state = phone.state.rawValue
        listing.added = phone.times.added
        listing.expiry = phone.grant.facts.expiry
        listing.renewed = phone.times.renewed
        return listing
    }

    private func id(of phone: SitePhone) -> String {
        CrockfordBase32.text(SitePhone.deviceID(ofKey: phone.key, at: server.site))
    }
}
