import Secrets
import VaultPort

/// The sites of this phone. Their rows hold a key and a credential, like the rows of boxes.
extension PhoneVault {
    /// Maximum number of sites that one phone remembers.
    public static let sitesLimit = 16

    /// Returns the sites that gave a grant, oldest first.
    public func sites() throws(VaultError) -> [KnownSite] {
        let rows = try database.rows(
            """
            SELECT id, public_key, document, grant, entry, credential IS NOT NULL, head, site_key
            FROM phone_sites WHERE site IS NOT NULL ORDER BY added_at, id
            """
        ) {
            KnownSite(
                id: $0.bytes(0), phoneKey: $0.bytes(1), document: $0.bytes(2), grant: $0.bytes(3),
                entry: $0.optionalBytes(4), hasCredential: $0.integer(5) == 1, head: $0.optionalBytes(6),
                siteKey: $0.optionalBytes(7), holders: [])
        }
        var sites: [KnownSite] = []
        for row in rows {
            let holders = try database.rows(
                "SELECT box_key FROM phone_site_boxes WHERE site = ? ORDER BY number", [.blob(row.id)]
            ) { $0.bytes(0) }
            sites.append(
                KnownSite(
                    id: row.id, phoneKey: row.phoneKey, document: row.document, grant: row.grant, entry: row.entry,
                    hasCredential: row.hasCredential, head: row.head, revokedBoxes: try revokedBoxes(of: row.id),
                    siteKey: row.siteKey, holders: holders))
        }
        return sites
    }

    /// Returns the key that waits for a grant, if there is one.
    public func waitingSiteKey() throws(VaultError) -> SiteKey? {
        try database.first("SELECT id, public_key FROM phone_sites WHERE site IS NULL") {
            SiteKey(id: $0.bytes(0), publicKey: $0.bytes(1))
        }
    }

    /// Returns the key that waits for a grant, and makes one if none waits.
    public func siteKey() throws(VaultError) -> SiteKey {
        if let waiting = try waitingSiteKey() { return waiting }
        guard try database.integer("SELECT count(*) FROM phone_sites") ?? 0 < Self.sitesLimit else {
            throw .invalid(what: "this phone already belongs to \(Self.sitesLimit) sites, the most it can; forget some")
        }
        let id = randomBytes(count: 16)
        let key = SecretBytes(randomCount: X25519KeyPair.keyBytes)
        let sealed = try sitePlace("device_key", id).seal(key, key: file.sealingKey)
        guard let publicKey = try? X25519KeyPair(privateKey: consume key).publicKey else { throw .outOfMemory }
        try database.run(
            "INSERT INTO phone_sites (id, device_key, public_key, added_at) VALUES (?, ?, ?, ?)",
            .blob(id), .blob(sealed), .blob(publicKey), .integer(clock.unixSeconds))
        return SiteKey(id: id, publicKey: publicKey)
    }

    /// Stores the data that a site gave to the row's key, and replaces earlier data. With a new grant, the list of
    /// boxes starts empty. If the site now holds the password, this phone deletes its own copy.
    public func keep(_ membership: GrantedSite, as id: [UInt8]) throws(VaultError) {
        try database.transaction { () throws(VaultError) in
            try database.run(
                "DELETE FROM phone_site_boxes WHERE site IN (SELECT id FROM phone_sites WHERE id = ? AND grant <> ?)",
                .blob(id), .blob(membership.grant))
            let changed = try database.run(
                """
                UPDATE phone_sites SET site = ?1, document = ?2, grant = ?3, entry = ?4, site_key = ?5,
                    credential = CASE WHEN ?5 IS NULL THEN credential END
                WHERE id = ?6
                """,
                .blob(membership.site), .blob(membership.document), .blob(membership.grant),
                .optional(membership.entry), .optional(membership.siteKey), .blob(id))
            guard changed == 1 else { throw .notFound(what: "site") }
            try forgetWhatIsOver(id)
        }
        if membership.siteKey != nil { try database.truncateLog() }
    }

    /// Replaces the grant `old`; if the row now has another grant, that one stays.
    public func keepSiteGrant(_ grant: [UInt8], of id: [UInt8], inPlaceOf old: [UInt8]) throws(VaultError) {
        try database.transaction { () throws(VaultError) in
            let changed = try database.run(
                "UPDATE phone_sites SET grant = ? WHERE id = ? AND grant = ?", .blob(grant), .blob(id), .blob(old))
            guard changed == 1 else { return }
            try database.run("DELETE FROM phone_site_boxes WHERE site = ?", .blob(id))
        }
    }

    /// Stores the site's revocation of the grant.
    public func stopSite(_ id: [UInt8], entry: [UInt8]) throws(VaultError) {
        let changed = try database.run("UPDATE phone_sites SET entry = ? WHERE id = ?", .blob(entry), .blob(id))
        guard changed == 1 else { throw .notFound(what: "site") }
    }

    /// Notes that a box (its key, 32 bytes) has the site's grant, or no longer has it.
    public func noteSiteBox(_ boxKey: [UInt8], of id: [UInt8], hasGrant: Bool) throws(VaultError) {
        try database.transaction { () throws(VaultError) in
            try database.run(
                "DELETE FROM phone_site_boxes WHERE site = ? AND box_key = ?", .blob(id), .blob(boxKey))
            guard hasGrant else { return }
            try database.run(
                "INSERT INTO phone_site_boxes (site, box_key) SELECT id, ? FROM phone_sites WHERE id = ?",
                .blob(boxKey), .blob(id))
            try database.run(
                """
                DELETE FROM phone_site_boxes WHERE site = ? AND number NOT IN
                    (SELECT number FROM phone_site_boxes WHERE site = ? ORDER BY number DESC LIMIT ?)
                """,
                .blob(id), .blob(id), .integer(Int64(KnownSite.holdersLimit)))
        }
    }

    /// Deletes a site, or a key that waits for a grant, and all data about it.
    public func forgetSite(_ id: [UInt8]) throws(VaultError) {
        try database.transaction { () throws(VaultError) in
            try database.run("DELETE FROM phone_site_boxes WHERE site = ?", .blob(id))
            try database.run("DELETE FROM phone_site_entries WHERE site = ?", .blob(id))
            let changed = try database.run("DELETE FROM phone_sites WHERE id = ?", .blob(id))
            guard changed == 1 else { throw .notFound(what: "site") }
        }
        try database.truncateLog()
        try file.directory.destroySetAside()
    }

    /// Returns the secrets that seal one request to a site, after storing the new counter. The counter is at least the
    /// Unix time, so that a restored backup does not repeat values that the site has seen.
    public func unlockSite(
        _ id: [UInt8], salt: [UInt8], pin: HeldSecret?, newPIN: HeldSecret?
    ) async throws(VaultError) -> SiteUnlocking {
        let key = try deviceKey(id)
        let secret = try siteDeviceSecret(id)
        let (pinHash, newHash) = (try await hash(pin, salt), try await hash(newPIN, salt))
        let changed = try database.run(
            "UPDATE phone_sites SET counter = max(counter + 1, ?) WHERE id = ?", .integer(clock.unixSeconds), .blob(id))
        let counter = try database.first("SELECT counter FROM phone_sites WHERE id = ?", [.blob(id)]) { $0.integer(0) }
        guard changed == 1, let counter else { throw .notFound(what: "site") }
        return SiteUnlocking(
            counter: UInt64(clamping: counter), phoneKey: key, deviceSecret: secret, pinHash: pinHash,
            newPINHash: newHash)
    }

    /// Hashes a PIN at the cost that the protocol fixes: 32 MiB, three passes.
    private func hash(_ pin: HeldSecret?, _ salt: [UInt8]) async throws(VaultError) -> HeldSecret? {
        guard let pin else { return nil }
        try SecretBounds.check(pin: pin)
        return try await hasher.hash(try await hasher.reserve(.minimum), pin: pin, salt: salt)
    }

    /// Returns the device secret for the site; the first request makes it.
    private func siteDeviceSecret(_ id: [UInt8]) throws(VaultError) -> HeldSecret {
        let place = sitePlace("device_secret", id)
        let kept = try database.first("SELECT device_secret FROM phone_sites WHERE id = ?", [.blob(id)]) {
            $0.optionalBytes(0)
        }
        guard let kept else { throw .notFound(what: "site") }
        if let kept {
            guard let opened = place.open(kept, key: file.sealingKey) else { throw .wrongKey(what: "this phone's key") }
            return HeldSecret(opened)
        }
        let secret = HeldSecret(SecretBytes(randomCount: SecretBounds.deviceSecretBytes))
        let sealed = try place.seal(secret.bytes, key: file.sealingKey)
        try database.run("UPDATE phone_sites SET device_secret = ? WHERE id = ?", .blob(sealed), .blob(id))
        return secret
    }

    func sitePlace(_ column: StaticString, _ id: [UInt8]) -> SealedColumn {
        SealedColumn(table: "phone_sites", column: column, row: id)
    }
}
