import PostgreSQL

enum BulkStatements {
    static let add = DatabaseStatement(
        "add bulk code",
        """
        INSERT INTO bulk_codes (id, name, groups, places, expires_at) VALUES ($1, $2, $3, $4, to_timestamp($5::bigint))
        """)
    static let list = DatabaseStatement(
        "list fingerprint", "INSERT INTO bulk_fingerprints (code, fingerprint) VALUES ($1, $2) ON CONFLICT DO NOTHING")
    static let countOpen = DatabaseStatement(
        "open bulk codes",
        "SELECT count(*) FROM bulk_codes WHERE revoked_at IS NULL AND expires_at > to_timestamp($1::bigint)")
    /// The code and the number of its keys: in total, and within the last minute of the database's clock.
    static let code = DatabaseStatement(
        "bulk code",
        """
        SELECT c.name, c.groups, c.places::bigint, floor(extract(epoch FROM c.expires_at))::bigint, c.revoked_at IS NOT NULL,
          (SELECT count(*) FROM bulk_boxes b WHERE b.code = c.id),
          (SELECT count(*) FROM bulk_boxes b WHERE b.code = c.id AND b.came_at > clock_timestamp() - interval '1 minute'), c.id
        FROM bulk_codes c WHERE c.id = $1
        """)
    static let codes = DatabaseStatement(
        "bulk codes",
        """
        SELECT c.name, c.groups, c.places::bigint, floor(extract(epoch FROM c.expires_at))::bigint, c.revoked_at IS NOT NULL,
          (SELECT count(*) FROM bulk_boxes b WHERE b.code = c.id), 0::bigint, c.id
        FROM bulk_codes c WHERE c.expires_at > to_timestamp($1::bigint - 7776000) ORDER BY c.expires_at, c.id LIMIT 1000
        """)
    static let isListed = DatabaseStatement(
        "is listed", "SELECT 1 FROM bulk_fingerprints WHERE code = $1 AND fingerprint = $2")
    static let visit = DatabaseStatement(
        "bulk visit", "SELECT box IS NOT NULL, rejected_at IS NOT NULL FROM bulk_boxes WHERE key = $1")
    static let come = DatabaseStatement(
        "bulk box comes", "INSERT INTO bulk_boxes (key, fingerprint, code) VALUES ($1, $2, $3)")
    static let become = DatabaseStatement("bulk box becomes", "UPDATE bulk_boxes SET box = $2 WHERE key = $1")
    static let reject = DatabaseStatement(
        "reject bulk box", "UPDATE bulk_boxes SET rejected_at = now() WHERE key = $1 AND box IS NULL")
    static let waiting = DatabaseStatement(
        "waiting boxes",
        """
        SELECT b.key, b.fingerprint, c.name, c.groups, floor(extract(epoch FROM b.came_at))::bigint
        FROM bulk_boxes b JOIN bulk_codes c ON c.id = b.code
        WHERE b.box IS NULL AND b.rejected_at IS NULL ORDER BY b.came_at, b.key LIMIT 100000
        """)
    static let waitingOne = DatabaseStatement(
        "waiting box",
        """
        SELECT b.key, b.fingerprint, c.name, c.groups, floor(extract(epoch FROM b.came_at))::bigint
        FROM bulk_boxes b JOIN bulk_codes c ON c.id = b.code
        WHERE b.fingerprint = $1 AND b.box IS NULL AND b.rejected_at IS NULL
        """)
    static let revoke = DatabaseStatement(
        "revoke bulk code", "UPDATE bulk_codes SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL")
    static let rejectAll = DatabaseStatement(
        "reject waiting boxes",
        "UPDATE bulk_boxes SET rejected_at = now() WHERE code = $1 AND box IS NULL AND rejected_at IS NULL RETURNING key"
    )
    static let addJoined = DatabaseStatement(
        "add joined box",
        """
        INSERT INTO boxes (name, number, groups, state, key, joined_at, change)
        VALUES ($1, $2, $3, 'joined', $4, now(), $5) RETURNING id
        """)
}
