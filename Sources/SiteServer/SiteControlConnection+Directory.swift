import ControlProtocol
import SiteControl
import SiteCore
import SiteStore
import SiteTrust

/// Checks of the directory before a phone is added.
extension SiteControlConnection {
    /// Returns true if the directory has the user and allows them, or false after it has reported the problem.
    ///
    /// - Parameter isNew: True for a typed name, which must be spelt like the account. False for a user of the site.
    func isInDirectory(_ user: String, isNew: Bool = true) async -> Bool {
        switch await server.directory?.ask(user) {
        case .there(_, let name?) where isNew:
            await refuse("the directory calls \(user) \(name)", "write \(name): a user has one name at the site")
        case nil, .there: return true
        case .gone:
            await refuse(
                "the directory has no user \(user)",
                "write the name as the directory has it, or add a name that only the boxes have to local_users")
        case .notAllowed(let why):
            await refuse("the directory does not allow \(user): \(why)", "ask its administrator to allow them first")
        case .unclear(let why):
            await say(
                .failure(
                    .busy, what: ControlLimits.cut("cannot find out whether the directory has \(user): \(why)"),
                    cure: "see boxsite status, and try again"))
        }
        return false
    }

    /// Records that the directory has the user. Only recorded users can count as having left it.
    func sawInDirectory(_ user: String) async {
        guard let desk = server.directory, !desk.terms.localUsers.contains(user) else { return }
        await server.tried("record that the directory has a user") { try await $0.sawInDirectory(name: user) }
    }

    func add(_ wish: PhoneWish, of user: String, _ terms: GrantTerms) async throws(SiteStoreError) -> ClaimedGrant {
        let grant = try await server.store.addPhone(wish, by: actor, terms)
        await sawInDirectory(user)
        return grant
    }

    /// Issues another grant for a phone whose user is in the directory. Returns nil after it has reported a problem.
    func grant(_ phone: String, _ terms: GrantTerms) async throws(SiteStoreError) -> ClaimedGrant? {
        let user = try await server.store.owner(ofPhone: phone, by: actor)
        guard await isInDirectory(user, isNew: false) else { return nil }
        let grant = try await server.store.issueGrant(phone, by: actor, terms)
        await sawInDirectory(user)
        return grant
    }

    func acceptDirectory(_ reason: String) async throws(SiteStoreError) {
        guard await isReason(reason) else { return }
        guard let desk = server.directory else {
            return await refuse("this site has no directory", "see [directory] in boxsited(8)")
        }
        try await server.store.note("directory accept", by: actor, reason)
        let count = await desk.accept()
        await say(
            .done(
                text: count > 0
                    ? "\(count) users are revoked with the next round, within two minutes, if they are still gone"
                    : "no users are waiting for this"))
    }
}
