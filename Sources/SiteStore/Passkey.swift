import PostgreSQL

/// An administrator's passkey for the site page. It contains nothing secret.
public struct Passkey: Sendable, Equatable {
    public let administrator: String
    /// 1 to 1,023 bytes.
    public let credential: [UInt8]
    /// A point on P-256, 65 bytes, which the page has checked.
    public let key: [UInt8]
    public let counter: UInt32
    /// Seconds since 1970.
    public let added: UInt64
    public let used: UInt64?

    /// A passkey to be added.
    public init(credential: [UInt8], key: [UInt8], counter: UInt32) {
        (administrator, added, used) = ("", 0, nil)
        (self.credential, self.key, self.counter) = (credential, key, counter)
    }

    init(_ row: DatabaseRow) throws(SiteStoreError) {
        do {
            administrator = try row.text(0)
            credential = try row.bytes(1)
            key = try row.bytes(2)
            counter = UInt32(clamping: try row.integer(3))
            added = UInt64(clamping: try row.integer(4))
            used = try row.optionalInteger(5).map { UInt64(clamping: $0) }
        } catch {
            throw .damaged("a passkey (\(error))")
        }
    }
}

enum PasskeyStatements {
    static let withCredential = DatabaseStatement(
        "passkey with credential",
        """
        SELECT a.name, p.credential, p.key, p.counter, floor(extract(epoch FROM p.added_at))::bigint,
          floor(extract(epoch FROM p.used_at))::bigint
        FROM passkeys p JOIN administrators a ON a.id = p.administrator
        WHERE p.credential = $1 AND a.state = 'active'
        """)
    static let ofAdministrator = DatabaseStatement(
        "passkeys of administrator",
        """
        SELECT a.name, p.credential, p.key, p.counter, floor(extract(epoch FROM p.added_at))::bigint,
          floor(extract(epoch FROM p.used_at))::bigint
        FROM passkeys p JOIN administrators a ON a.id = p.administrator
        WHERE a.name = $1 AND a.state = 'active' ORDER BY p.id
        """)
    /// A repeated request replaces an unused link.
    static let putLink = DatabaseStatement(
        "put passkey link",
        """
        INSERT INTO passkey_links (administrator, code_hash, expires_at) VALUES ($1, $2, to_timestamp($3::bigint))
        ON CONFLICT (administrator) DO UPDATE SET code_hash = excluded.code_hash, expires_at = excluded.expires_at
        """)
    static let linkOwner = DatabaseStatement(
        "passkey link owner",
        """
        SELECT a.id, a.name FROM passkey_links l JOIN administrators a ON a.id = l.administrator
        WHERE l.code_hash = $1 AND l.expires_at > clock_timestamp() AND a.state = 'active'
        """)
    static let dropLink = DatabaseStatement(
        "drop passkey link", "DELETE FROM passkey_links WHERE administrator = $1")
    static let count = DatabaseStatement("count passkeys", "SELECT count(*) FROM passkeys WHERE administrator = $1")
    static let add = DatabaseStatement(
        "add passkey",
        """
        INSERT INTO passkeys (administrator, credential, key, counter) VALUES ($1, $2, $3, $4)
        ON CONFLICT (credential) DO NOTHING RETURNING id
        """)
    /// Records a use only if the counter rises, or if the passkey has no counter (0).
    static let use = DatabaseStatement(
        "use passkey",
        """
        UPDATE passkeys p SET counter = $2, used_at = now() FROM administrators a
        WHERE a.id = p.administrator AND a.state = 'active' AND p.credential = $1
          AND ($2 > p.counter OR ($2 = 0 AND p.counter = 0))
        RETURNING p.id
        """)
    static let removeAll = DatabaseStatement(
        "remove passkeys", "DELETE FROM passkeys WHERE administrator = $1 RETURNING id")
}
