import PostgreSQL

/// SQL statements about credentials that the site holds. A try only locks the two rows of its phone.
enum HeldStatements {
    static let look = DatabaseStatement(
        "held look",
        """
        SELECT p.id, p.state = 'active' AND u.state = 'active'
            AND EXISTS (SELECT 1 FROM boxes b WHERE b.id = $2 AND b.state = 'joined'),
          p.groups, p.issued, c.counter, c.salt, c.wrapped_key, c.content, c.used, c.is_last, c.locked_until, c.spent_at,
          c.wiped_at IS NOT NULL, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
        FROM phones p JOIN users u ON u.id = p.owner JOIN phone_credentials c ON c.phone = p.id
        WHERE p.key = $1
        """)
    /// Locks the row that orders changes, without numbering a change. A transaction that writes to the audit table and
    /// to a phone's rows locks this row first. Changes lock the audit table and a phone's rows in either order.
    static let takePlace = DatabaseStatement("held take place", "SELECT 1 FROM site_state FOR UPDATE")
    /// A transaction that waits for a row then sees its holder's changes. A revocation changes the phone's row first.
    static let take = DatabaseStatement(
        "held take",
        """
        SELECT p.id, p.state = 'active' AND u.state = 'active'
            AND EXISTS (SELECT 1 FROM boxes b WHERE b.id = $2 AND b.state = 'joined'),
          p.groups, p.issued, c.counter, c.salt, c.wrapped_key, c.content, c.used, c.is_last, c.locked_until, c.spent_at,
          c.wiped_at IS NOT NULL, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint,
          current_setting('synchronous_standby_names'), set_config('synchronous_commit',
            CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true),
          c.xmin::text::bigint
        FROM phones p JOIN users u ON u.id = p.owner JOIN phone_credentials c ON c.phone = p.id
        WHERE p.key = $1 FOR NO KEY UPDATE OF p, c
        """)
    /// Changes the row only if it still has the judged state. The row's xmin names the transaction that wrote the row.
    static let spend = DatabaseStatement(
        "held spend",
        """
        UPDATE phone_credentials SET counter = $2, used = $3, is_last = $4, locked_until = $5, spent_at = $6
        WHERE phone = $1 AND counter = $7 AND used = $8 AND is_last = $9 AND wrapped_key IS NOT NULL
        RETURNING xmin::text::bigint
        """)
    /// Restores the tries after a right PIN, unless another try was spent since.
    static let settle = DatabaseStatement(
        "held settle",
        """
        UPDATE phone_credentials SET used = 0, is_last = false, locked_until = NULL
        WHERE phone = $1 AND counter = $2 AND salt = $3 RETURNING phone
        """)
    static let put = DatabaseStatement(
        "held put",
        """
        UPDATE phone_credentials SET counter = $2, salt = $3, wrapped_key = $4, content = $5, used = 0, is_last = false,
          locked_until = NULL, spent_at = NULL, wiped_at = NULL
        WHERE phone = $1 AND counter = $6 AND salt IS NOT DISTINCT FROM $7::bytea RETURNING phone
        """)
    /// Destroys a credential whose tries are spent. Key and content go together, so a row never has only one of them.
    static let wipe = DatabaseStatement(
        "held wipe",
        """
        UPDATE phone_credentials SET salt = NULL, wrapped_key = NULL, content = NULL, used = 0, is_last = false,
          locked_until = NULL, counter = greatest(counter, $3::bigint), wiped_at = now()
        WHERE phone = $1 AND salt = $2 RETURNING phone
        """)
    static let begin = DatabaseStatement(
        "held begin",
        "INSERT INTO phone_credentials (phone) SELECT id FROM phones WHERE key = $1 ON CONFLICT (phone) DO NOTHING")
    /// Destroys the credential of a phone that stores it itself from now on, or that has no access any more. `wiped_at`
    /// is only for credentials that wrong PINs destroyed.
    static let destroy = DatabaseStatement(
        "held destroy",
        """
        UPDATE phone_credentials c SET salt = NULL, wrapped_key = NULL, content = NULL, used = 0, is_last = false,
          locked_until = NULL, wiped_at = NULL
        FROM phones p WHERE p.id = c.phone AND p.key = $1 AND c.salt IS NOT NULL
        """)
    /// Destroys the credentials of all revoked phones of a user.
    static let destroyOfUser = DatabaseStatement(
        "held destroy of user",
        """
        UPDATE phone_credentials c SET salt = NULL, wrapped_key = NULL, content = NULL, used = 0, is_last = false,
          locked_until = NULL, wiped_at = NULL
        FROM phones p JOIN users u ON u.id = p.owner
        WHERE p.id = c.phone AND u.user_id = $1 AND p.state = 'revoked' AND c.salt IS NOT NULL
        """)
    static let addKey = DatabaseStatement("add site key", "INSERT INTO site_keys (number, bytes) VALUES ($1, $2)")
    static let newestKey = DatabaseStatement(
        "newest site key", "SELECT bytes FROM site_keys ORDER BY number DESC LIMIT 1")
}
