import Secrets
import VaultPort

/// What boxes have told of a site: document, head and revoked boxes. Numbers in these layouts are big-endian, so they compare as
/// bytes do (docs/reference/site-protocol.md, 3, 7 and 8).
extension PhoneVault {
    /// Most revoked boxes that are kept of a site.
    static let revokedBoxesLimit = 1_024

    /// Keeps what was verified. Another command of this phone may have kept something meanwhile: entries are a union, and the newer
    /// head stays.
    public func keep(_ news: SiteNews) throws(VaultError) {
        try database.transaction { () throws(VaultError) in
            let changed = try database.run(
                "UPDATE phone_sites SET document = ?1 WHERE id = ?2 AND document IN (?1, ?3)", .blob(news.document),
                .blob(news.id), .blob(news.inPlaceOf))
            guard changed == 1 else { throw .notFound(what: "site document with that content") }
            try forgetWhatIsOver(news.id)
            if let head = news.head {
                // Number and time of a head: 8 bytes each.
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
            // The expiry of an entry, and the time of the head.
            try database.run(
                """
                DELETE FROM phone_site_entries WHERE site = ?1 AND
                    substr(entry, 35, 8) <= (SELECT substr(head, 66, 8) FROM phone_sites WHERE id = ?1 AND head IS NOT NULL)
                """, .blob(news.id))
        }
    }

    /// Head and entries of another generation than the document's.
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
