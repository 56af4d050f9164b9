import PhoneCore
import Secrets
import Vault
import VaultPort

/// The sites that a phone belongs to (docs/reference/site-protocol.md), as its vault stores them.
public struct PhoneSites: Sendable {
    let parts: PhoneParts

    /// Returns the sites that have given this phone a grant, the oldest first. Destroys the data of a site that has
    /// revoked its grant, once the signed revocation has expired.
    public func all() async throws(PhoneError) -> [SiteAccess] {
        var sites: [SiteAccess] = []
        for known in try await parts.inVault({ (vault) throws(VaultError) in try await vault.sites() }) {
            let access: SiteAccess
            do throws(SiteProblem) {
                access = try SiteAccess(known)
            } catch {
                throw .site(error)
            }
            if let until = access.stoppedUntil, until <= parts.unixSeconds {
                try await forget(access)
            } else {
                sites.append(access)
            }
        }
        return sites
    }

    /// Finds a site by the beginning of its id. Nil means the only site.
    public func named(_ name: String?) async throws(PhoneError) -> SiteAccess {
        try SiteAccess.find(name, among: try await all())
    }

    /// Returns the text with which a site's administrator adds this phone. It has the waiting key, or a new key.
    public func newCode() async throws(PhoneError) -> String {
        SiteAccess.phoneCode(
            try await parts.inVault { (vault) throws(VaultError) in try await vault.siteKey() }.publicKey)
    }

    /// Takes a grant's text from an administrator, `boxsite-grant:1/…`, for the waiting key or to replace a grant.
    public func join(_ text: [UInt8]) async throws(PhoneError) -> SiteAccess {
        let offer: SiteOffer
        do throws(SiteProblem) {
            offer = try SiteOffer(parsing: text)
        } catch {
            throw .site(error)
        }
        return try await keep(offer)
    }

    /// Returns the key for an enrolment at a site: the key that the site knows, or else the waiting key.
    func key(for site: [UInt8]) async throws(PhoneError) -> HeldSecret {
        let known = try await all().first { $0.isOf(site) }?.known.id
        return try await parts.inVault { (vault) throws(VaultError) in
            var id = known
            if id == nil { id = try await vault.siteKey().id }
            return try await vault.deviceKey(id ?? [])
        }
    }

    /// Stores a site's document and grant if both are valid.
    func keep(_ offer: SiteOffer) async throws(PhoneError) -> SiteAccess {
        let now = parts.unixSeconds
        let (waiting, known) = try await parts.inVault { (vault) throws(VaultError) in
            (try await vault.waitingSiteKey(), try await vault.sites())
        }
        let (id, membership): ([UInt8], GrantedSite)
        do throws(SiteProblem) {
            (id, membership) = try offer.taken(by: waiting, known, clock: now)
        } catch {
            throw .site(error)
        }
        try await parts.inVault { (vault) throws(VaultError) in try await vault.keep(membership, as: id) }
        guard let joined = try await all().first(where: { $0.known.id == id }) else { throw .siteStopped }
        return joined
    }

    /// Destroys this phone's key for a site, its grant and the password. The site still lists the phone.
    public func forget(_ site: SiteAccess) async throws(PhoneError) {
        try await parts.inVault { (vault) throws(VaultError) in try await vault.forgetSite(site.known.id) }
    }
}
