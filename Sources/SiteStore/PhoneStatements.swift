import PostgreSQL

enum PhoneStatements {
    static let phoneWithKey = DatabaseStatement(
        "phone with key",
        """
        SELECT p.id, p.key, u.user_id, u.name, u.state, u.revoked_generation, u.revoked_number, p.label, p.groups, p.state,
          p.issued, floor(extract(epoch FROM p.added_at))::bigint, floor(extract(epoch FROM p.issued_at))::bigint,
          floor(extract(epoch FROM p.renewed_at))::bigint
        FROM phones p JOIN users u ON u.id = p.owner WHERE p.key = $1
        """)
    /// Returns up to two rows, so that an ambiguous prefix is noticed.
    /// The most phones that are read to find the one that an administrator means and may see: the LIMIT below.
    static let phonesBetweenLimit = 1_000
    static let phonesBetween = DatabaseStatement(
        "phones between",
        """
        SELECT p.id, p.key, u.user_id, u.name, u.state, u.revoked_generation, u.revoked_number, p.label, p.groups, p.state,
          p.issued, floor(extract(epoch FROM p.added_at))::bigint, floor(extract(epoch FROM p.issued_at))::bigint,
          floor(extract(epoch FROM p.renewed_at))::bigint
        FROM phones p JOIN users u ON u.id = p.owner WHERE p.device_id BETWEEN $1 AND $2
        LIMIT 1000
        """)
    /// Read in pages, because a site may have a million phones.
    static let phonesPage = DatabaseStatement(
        "phones page",
        """
        SELECT p.id, p.key, u.user_id, u.name, u.state, u.revoked_generation, u.revoked_number, p.label, p.groups, p.state,
          p.issued, floor(extract(epoch FROM p.added_at))::bigint, floor(extract(epoch FROM p.issued_at))::bigint,
          floor(extract(epoch FROM p.renewed_at))::bigint
        FROM phones p JOIN users u ON u.id = p.owner WHERE p.id > $1 ORDER BY p.id LIMIT 1000
        """)
    static let phonesOfUser = DatabaseStatement(
        "phones of user",
        """
        SELECT p.id, p.key, u.user_id, u.name, u.state, u.revoked_generation, u.revoked_number, p.label, p.groups, p.state,
          p.issued, floor(extract(epoch FROM p.added_at))::bigint, floor(extract(epoch FROM p.issued_at))::bigint,
          floor(extract(epoch FROM p.renewed_at))::bigint
        FROM phones p JOIN users u ON u.id = p.owner WHERE p.id > $1 AND u.name = $2 ORDER BY p.id LIMIT 1000
        """)
    static let activePhonesOfUser = DatabaseStatement(
        "active phones of user",
        """
        SELECT p.id, p.key, u.user_id, u.name, u.state, u.revoked_generation, u.revoked_number, p.label, p.groups, p.state,
          p.issued, floor(extract(epoch FROM p.added_at))::bigint, floor(extract(epoch FROM p.issued_at))::bigint,
          floor(extract(epoch FROM p.renewed_at))::bigint
        FROM phones p JOIN users u ON u.id = p.owner WHERE u.name = $1 AND p.state = 'active' ORDER BY p.id LIMIT 64
        """)
    static let userNamed = DatabaseStatement(
        "user named",
        "SELECT id, user_id, name, state, revoked_generation, revoked_number FROM users WHERE name = $1")
    static let addUser = DatabaseStatement(
        "add user", "INSERT INTO users (user_id, name, state) VALUES ($1, $2, 'active') RETURNING id")
    static let activateUser = DatabaseStatement("activate user", "UPDATE users SET state = 'active' WHERE id = $1")
    /// A known key keeps its row. The caller has checked the row's owner.
    static let putPhone = DatabaseStatement(
        "put phone",
        """
        INSERT INTO phones
          (key, device_id, owner, label, groups, state, issued, generation, number, issued_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, 'active', $6, $7, $8, to_timestamp($9::bigint), to_timestamp($10::bigint))
        ON CONFLICT (key) DO UPDATE SET label = excluded.label, groups = excluded.groups, issued = excluded.issued,
          generation = excluded.generation, number = excluded.number, issued_at = excluded.issued_at,
          expires_at = excluded.expires_at
        WHERE phones.state = 'active' AND phones.owner = excluded.owner
        RETURNING id
        """)
    static let keepGrant = DatabaseStatement(
        "keep grant",
        """
        UPDATE phones SET issued = $2, generation = $3, number = $4, issued_at = to_timestamp($5::bigint),
          expires_at = to_timestamp($6::bigint), renewed_at = CASE WHEN $7 THEN to_timestamp($5::bigint) ELSE renewed_at END
        WHERE id = $1 AND state = 'active' RETURNING id
        """)
    /// $1 is the kind and the key of an entry, or the kind and the user ID.
    static let hasPhoneEntry = DatabaseStatement(
        "has phone entry", "SELECT 1 FROM revocations WHERE substring(content FROM 2 FOR 33) = $1 LIMIT 1")
    static let lastExpiry = DatabaseStatement(
        "last expiry",
        """
        SELECT coalesce(max(floor(extract(epoch FROM p.expires_at))::bigint), 0)
        FROM phones p JOIN users u ON u.id = p.owner WHERE u.user_id = $1
        """)

    // MARK: - Applying an entry to the rows

    static let revokePhone = DatabaseStatement(
        "revoke phone", "UPDATE phones SET state = 'revoked', revoked_at = now() WHERE key = $1 AND state = 'active'")
    static let raiseUser = DatabaseStatement(
        "raise user",
        """
        UPDATE users SET revoked_generation = $2, revoked_number = $3,
          revoked_until = greatest(revoked_until, to_timestamp($4::bigint))
        WHERE user_id = $1
          AND (revoked_generation IS NULL OR (revoked_generation, revoked_number) < ($2::bigint, $3::bigint))
        """)
    static let revokeGrants = DatabaseStatement(
        "revoke grants",
        """
        UPDATE phones p SET state = 'revoked', revoked_at = now() FROM users u
        WHERE u.id = p.owner AND u.user_id = $1 AND p.state = 'active'
          AND (p.generation, p.number) <= ($2::bigint, $3::bigint)
        """)
    static let revokeUser = DatabaseStatement(
        "revoke user",
        """
        UPDATE users u SET state = 'revoked' WHERE u.user_id = $1
          AND NOT EXISTS (SELECT 1 FROM phones p WHERE p.owner = u.id AND p.state = 'active')
        """)
    /// Revoked users whose entry only covers numbers below $2. Grants that a backup lacks may have higher numbers.
    static let revokedBelow = DatabaseStatement(
        "revoked below",
        """
        SELECT user_id FROM users WHERE state = 'revoked' AND revoked_generation = $1 AND revoked_number < $2
          AND revoked_until > to_timestamp($3::bigint)
        UNION
        SELECT substring(content FROM 3 FOR 16) FROM revocations r
        WHERE generation = $1 AND substring(content FROM 2 FOR 1) = '\\x02'::bytea
          AND NOT EXISTS (SELECT 1 FROM users u WHERE u.user_id = substring(r.content FROM 3 FOR 16))
        GROUP BY 1 HAVING bool_and(substring(content FROM 19 FOR 8) < int8send($2::bigint))
        ORDER BY 1 LIMIT 16384
        """)

    /// Phones without an entry of their own, revoked together with all phones of a user who is active again.
    static let revokedOfActive = DatabaseStatement(
        "revoked of active",
        """
        SELECT p.key FROM phones p JOIN users u ON u.id = p.owner
        WHERE p.state = 'revoked' AND u.state = 'active' AND u.revoked_generation = $1 AND u.revoked_number < $2
          AND u.revoked_until > to_timestamp($3::bigint)
          AND NOT EXISTS (SELECT 1 FROM revocations r WHERE substring(r.content FROM 2 FOR 33) = '\\x01'::bytea || p.key)
        ORDER BY p.id LIMIT 16384
        """)

    static let isActiveUser = DatabaseStatement(
        "is active user", "SELECT 1 FROM users WHERE user_id = $1 AND state = 'active'")
    static let revokedOfUser = DatabaseStatement(
        "revoked of user",
        """
        SELECT p.key FROM phones p JOIN users u ON u.id = p.owner WHERE u.user_id = $1 AND p.state = 'revoked'
        ORDER BY p.id LIMIT 16384
        """)

    static let counts = DatabaseStatement(
        "counts",
        """
        SELECT (SELECT count(*) FROM users WHERE state = 'active'), (SELECT count(*) FROM phones WHERE state = 'active')
        """)
}
