import PostgreSQL

enum AdministratorStatements {
    static let named = DatabaseStatement(
        "administrator named",
        "SELECT id, name, role, groups, account, state FROM administrators WHERE name = $1 AND state = 'active'")
    static let withAccount = DatabaseStatement(
        "administrator with account",
        "SELECT id, name, role, groups, account, state FROM administrators WHERE account = $1 AND state = 'active'")
    /// Also finds removed administrators, whom proposals and the audit table name.
    static let byID = DatabaseStatement(
        "administrator by id", "SELECT id, name, role, groups, account, state FROM administrators WHERE id = $1")
    static let page = DatabaseStatement(
        "administrators page",
        """
        SELECT id, name, role, groups, account, state FROM administrators
        WHERE id > $1 AND state = 'active' ORDER BY id LIMIT 1000
        """)
    /// Counts the administrators who could approve a proposal of root.
    static let seconds = DatabaseStatement(
        "seconds",
        """
        SELECT count(*) FROM administrators
        WHERE state = 'active' AND (role = 'root-keeper' OR role = 'administrator' AND NOT $1)
        """)
    static let add = DatabaseStatement(
        "add administrator",
        """
        INSERT INTO administrators (name, role, groups, account, state) VALUES ($1, $2, $3, $4, 'active') RETURNING id
        """)
    static let change = DatabaseStatement(
        "change administrator",
        """
        UPDATE administrators SET name = $2, role = $3, groups = $4, account = $5 WHERE id = $1 AND state = 'active'
        RETURNING id
        """)
    static let remove = DatabaseStatement(
        "remove administrator",
        "UPDATE administrators SET state = 'removed', removed_at = now() WHERE id = $1 AND state = 'active' RETURNING id"
    )

    // MARK: - Revocations of one administrator

    static let recent = DatabaseStatement(
        "recent revocations",
        """
        SELECT coalesce(sum(count), 0)::bigint FROM revocation_tallies
        WHERE administrator = $1 AND at > to_timestamp($2::bigint)
        """)
    static let tally = DatabaseStatement(
        "tally", "INSERT INTO revocation_tallies (administrator, at, count) VALUES ($1, to_timestamp($2::bigint), $3)")
    static let forgetTallies = DatabaseStatement(
        "forget tallies", "DELETE FROM revocation_tallies WHERE at <= to_timestamp($1::bigint)")

    // MARK: - Proposals

    static let propose = DatabaseStatement(
        "propose",
        """
        INSERT INTO proposals (id, proposer, kind, subject, again, shown, reason, name, role, groups, account, made_at,
          expires_at, state)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, to_timestamp($12::bigint), to_timestamp($13::bigint), 'waiting')
        """)
    static let proposal = DatabaseStatement(
        "proposal",
        """
        SELECT p.id, p.proposer, p.kind, p.subject, p.again, p.shown, p.reason, p.name, p.role, p.groups, p.account,
          floor(extract(epoch FROM p.made_at))::bigint, floor(extract(epoch FROM p.expires_at))::bigint, p.state,
          p.decided_by, coalesce(a.name, 'root')
        FROM proposals p LEFT JOIN administrators a ON a.id = p.proposer WHERE p.id = $1
        """)
    /// Waiting proposals of one proposer, or of all if $1 is null.
    static let waiting = DatabaseStatement(
        "waiting proposals",
        """
        SELECT p.id, p.proposer, p.kind, p.subject, p.again, p.shown, p.reason, p.name, p.role, p.groups, p.account,
          floor(extract(epoch FROM p.made_at))::bigint, floor(extract(epoch FROM p.expires_at))::bigint, p.state,
          p.decided_by, coalesce(a.name, 'root')
        FROM proposals p LEFT JOIN administrators a ON a.id = p.proposer
        WHERE p.state = 'waiting' AND p.expires_at > clock_timestamp() AND ($1::bigint IS NULL OR p.proposer = $1)
        ORDER BY p.made_at, p.id LIMIT 10000
        """)
    static let decide = DatabaseStatement(
        "decide", "UPDATE proposals SET state = $2, decided_by = $3 WHERE id = $1 AND state = 'waiting' RETURNING id")
    /// A day after a proposal expires, only the audit table has a record of it.
    static let forgetProposals = DatabaseStatement(
        "forget proposals", "DELETE FROM proposals WHERE expires_at <= to_timestamp($1::bigint)")

    // MARK: - The subject of an act

    static let groupsOfUser = DatabaseStatement(
        "groups of user",
        """
        SELECT p.groups, p.state = 'active' FROM phones p JOIN users u ON u.id = p.owner WHERE u.user_id = $1
        ORDER BY p.id LIMIT 10000
        """)
    static let userByID = DatabaseStatement(
        "user by id",
        "SELECT id, user_id, name, state, revoked_generation, revoked_number FROM users WHERE user_id = $1")
}
