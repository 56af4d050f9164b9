import PostgreSQL

enum DirectoryStatements {
    /// The directory's row in the tally of revocations. No administrator has this number.
    static let tallyID: Int64 = -1

    /// A page of active users. The last column has the groups of the user's active phones, without duplicates, in
    /// fields of 16 bytes that are padded with zeros.
    static let page = DatabaseStatement(
        "directory page",
        """
        SELECT u.id, u.name, u.directory_seen_at IS NOT NULL,
          coalesce((SELECT string_agg(DISTINCT substr(p.groups || decode(repeat('00', 16), 'hex'), 1, 16), ''::bytea)
                    FROM phones p WHERE p.owner = u.id AND p.state = 'active'), ''::bytea)
        FROM users u WHERE u.id > $1 AND u.state = 'active' ORDER BY u.id LIMIT 250
        """)
    static let saw = DatabaseStatement(
        "directory saw",
        "UPDATE users SET directory_seen_at = now() WHERE id = $1 AND directory_seen_at IS NULL")
    static let sawNamed = DatabaseStatement(
        "directory saw named",
        "UPDATE users SET directory_seen_at = now() WHERE name = $1 AND directory_seen_at IS NULL")
    static let user = DatabaseStatement(
        "directory user", "SELECT user_id, name FROM users WHERE id = $1 AND state = 'active'")
    static let users = DatabaseStatement("directory users", "SELECT count(*) FROM users WHERE state = 'active'")
    static let phones = DatabaseStatement(
        "directory phones", "SELECT id, groups FROM phones WHERE owner = $1 AND state = 'active' ORDER BY id LIMIT 1000"
    )
    static let setGroups = DatabaseStatement(
        "directory groups", "UPDATE phones SET groups = $2 WHERE id = $1 AND state = 'active'")
}
