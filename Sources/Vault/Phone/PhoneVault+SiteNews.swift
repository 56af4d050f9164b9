import Secrets
import VaultPort

/// News that boxes sent about a site: document, signed status and revoked boxes. Numbers in these layouts are
/// big-endian, so they compare as bytes (docs/reference/site-protocol.md, 3, 7 and 8).
extension PhoneVault {
    /// Maximum number of revoked boxes that are stored for a site.
    static let revokedBoxesLimit = 1_024

    /// Stores verified news. Another command of this phone may have stored news meanwhile: the entries of both stay,
    /// and the newer signed status wins.
    public func keep(_ news: SiteNews) throws(VaultError) {
        try database.transaction { () throws(VaultError) in
            let changed = try database.run(
                "UPDATE phone_sites SET document = ?1 WHERE id = ?2 AND document IN (?1, ?3)", .blob(news.document),
                .blob(news.id), .blob(news.inPlaceOf))
            guard changed == 1 else { throw .notFound(what: "site document with that content") }
            try forgetWhatIsOver(news.id)
            if let head = news.head {
                // Number and time of a signed status: 8 bytes each.
                try database.run(
                    """
                    UPDATE phone_sites SET head = ?1 WHERE id = ?2 AND (head IS NULL OR
                        substr(head, 18, 8) <= substr(?1, 18, 8) AND substr(head, 66, 8) <= substr(?1, 66, 8))
                    """, .blob(head), .blob(news.id))
            }
            for entry in news.entries {
                try database.run(
                    """
                    INSERT OR IGNORE INTO phone_site_entries (site, entry) SELECT ?1, ?2
                    WHERE (SELECT count(*) FROM phone_site_entries WHERE site = ?1) < ?3
                    """, .blob(news.id), .blob(entry), .integer(Int64(Self.revokedBoxesLimit)))
            }
            // Compares the expiry of an entry with the time of the signed status.
            try database.run(
                """
                DELETE FROM phone_site_entries WHERE site = ?1 AND
                    substr(entry, 35, 8) <= (SELECT substr(head, 66, 8) FROM phone_sites WHERE id = ?1 AND head IS NOT NULL)
                """, .blob(news.id))
        }
    }

    /// Deletes signed status and entries of a generation that is not the document's.
    func forgetWhatIsOver(_ id: [UInt8]) throws(VaultError) {
        try database.run(
            "UPDATE phone_sites SET head = NULL WHERE id = ? AND substr(head, 10, 8) <> substr(document, 26, 8)",
            .blob(id))
        try database.run(
            """
            DELETE FROM phone_site_entries WHERE site = ?1 AND
                substr(entry, 43, 8) <> (SELECT substr(document, 26, 8) FROM phone_sites WHERE id = ?1)
            """, .blob(id))
    }

    func revokedBoxes(of id: [UInt8]) throws(VaultError) -> [[UInt8]] {
        try database.rows("SELECT entry FROM phone_site_entries WHERE site = ? ORDER BY entry", [.blob(id)]) {
            $0.bytes(0)
        }
    }
}
