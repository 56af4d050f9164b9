import Names
import VaultPort

/// The site of the box. A document or signed status is stored in one transaction with its consequences. So a power cut
/// cannot bring back data that the document or status made invalid.
extension BoxVault {
    /// Returns nil if the box belongs to no site.
    public func site() throws(VaultError) -> StoredSite? {
        let row = try database.first(
            """
            SELECT document, certificate, issuer_key, servers, head, time_seconds, time_boot, time_clock,
            hours_spent, hours_boot, hours_clock FROM site
            """
        ) { (row) throws(VaultError) in try StoredSite(row) }
        guard var site = row else { return nil }
        site.entries = try database.rows("SELECT entry FROM site_revocations ORDER BY entry") { $0.bytes(0) }
        return site
    }

    /// Makes the box a member of this site. Throws if the box already belongs to a site.
    public func joinSite(_ site: StoredSite) throws(VaultError) {
        guard try database.integer("SELECT count(*) FROM site") == 0 else {
            throw .invalid(what: "this box already belongs to a site")
        }
        try changing { () throws(VaultError) in
            try database.run("DELETE FROM site_revocations")
            try database.run(
                "INSERT INTO site (id, document, certificate, issuer_key, servers) VALUES (1, ?, ?, ?, ?)",
                .blob(site.document), .blob(site.certificate.bytes), .blob(site.certificate.issuerKey),
                .blob(SiteServersField.bytes(site.servers)))
            var rest = SiteChange()
            (rest.head, rest.time, rest.hours, rest.added) = (site.head, site.time, site.hours, site.entries)
            try write(rest)
        }
    }

    /// Applies the whole change or nothing.
    public func changeSite(_ change: SiteChange) throws(VaultError) {
        guard try database.integer("SELECT count(*) FROM site") == 1 else { throw .notFound(what: "site") }
        try changing { () throws(VaultError) in try write(change) }
    }

    /// Removes the box from its site and deletes the site's data. Devices that own a session (in `owning` or by a
    /// stored row) stay as revoked devices.
    public func forgetSite(owning: [DeviceID] = []) throws(VaultError) {
        let phones = try sitePhones()
        try changing { () throws(VaultError) in
            for phone in phones { try removeSitePhone(phone.device, keepingDevice: owning.contains(phone.device)) }
            try database.run("DELETE FROM site_barred")
            try database.run("DELETE FROM site_revocations")
            try database.run("DELETE FROM site")
        }
        for phone in phones { try settle(phone.device, publicKey: phone.publicKey) }
    }

    /// Runs a change and sets the box's digits to those of the site or its own, in one transaction.
    private func changing(_ change: () throws(VaultError) -> Void) throws(VaultError) {
        try database.transaction { () throws(VaultError) in
            try change()
            try BoxIdentityRow.settle(in: file, unixSeconds: clock.unixSeconds)
        }
        boxID = try BoxIdentityRow.read(in: file).boxID
    }

    private func write(_ change: SiteChange) throws(VaultError) {
        if let document = change.document { try database.run("UPDATE site SET document = ?", .blob(document)) }
        if change.beginsGeneration {
            try database.run("DELETE FROM site_revocations")
            try database.run(
                """
                UPDATE site SET head = NULL, time_seconds = NULL, time_boot = NULL, time_clock = NULL,
                hours_spent = NULL, hours_boot = NULL, hours_clock = NULL
                """)
        }
        if let certificate = change.certificate {
            try database.run(
                "UPDATE site SET certificate = ?, issuer_key = ?", .blob(certificate.bytes),
                .blob(certificate.issuerKey))
        }
        if let servers = change.servers {
            try database.run("UPDATE site SET servers = ?", .blob(SiteServersField.bytes(servers)))
        }
        for entry in change.added {
            // OR IGNORE would also skip an entry that violates a CHECK.
            try database.run(
                "INSERT INTO site_revocations (entry) VALUES (?) ON CONFLICT (entry) DO NOTHING", .blob(entry))
        }
        for entry in change.dropped {
            try database.run("DELETE FROM site_revocations WHERE entry = ?", .blob(entry))
        }
        if let head = change.head { try database.run("UPDATE site SET head = ?", .blob(head)) }
        if let time = change.time {
            try database.run(
                "UPDATE site SET time_seconds = ?, time_boot = ?, time_clock = ?", .integer(time.seconds),
                .blob(time.clock.boot), .integer(time.clock.seconds))
        }
        if let hours = change.hours {
            try database.run(
                "UPDATE site SET hours_spent = ?, hours_boot = ?, hours_clock = ?", .integer(hours.spent),
                .blob(hours.until.boot), .integer(hours.until.seconds))
        }
    }
}

extension StoredSite {
    fileprivate init(_ row: borrowing Statement) throws(VaultError) {
        guard let servers = SiteServersField.addresses(row.bytes(3)) else { throw .damaged(keptAs: row.path) }
        self.init(
            document: row.bytes(0),
            certificate: StoredSiteCertificate(bytes: row.bytes(1), issuerKey: row.bytes(2)), servers: servers,
            head: row.optionalBytes(4))
        if !row.isNull(5) {
            let clock = StoredBootClock(boot: row.bytes(6), seconds: row.integer(7))
            time = StoredSiteTime(seconds: row.integer(5), clock: clock)
        }
        if !row.isNull(8) {
            let until = StoredBootClock(boot: row.bytes(9), seconds: row.integer(10))
            hours = StoredSiteHours(spent: row.integer(8), until: until)
        }
    }
}

/// Encodes addresses in one column, each after its length.
enum SiteServersField {
    static func bytes(_ addresses: [[UInt8]]) -> [UInt8] {
        addresses.flatMap { [UInt8(clamping: $0.count)] + $0 }
    }

    /// Returns nil if the layout is not valid.
    static func addresses(_ bytes: [UInt8]) -> [[UInt8]]? {
        var rest = bytes[...]
        var addresses: [[UInt8]] = []
        while let count = rest.popFirst() {
            guard rest.count >= Int(count) else { return nil }
            addresses.append([UInt8](rest.prefix(Int(count))))
            rest = rest.dropFirst(Int(count))
        }
        return addresses
    }
}
