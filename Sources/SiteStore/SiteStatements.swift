import PostgreSQL

/// SQL statements about the site, its documents, boxes and entries.
enum SiteStatements {
    /// Returns the database's clock in seconds since 1970.
    static let clock = DatabaseStatement("clock", "SELECT floor(extract(epoch FROM clock_timestamp()))::bigint")
    /// Takes the write lock, the one row that orders changes, until the transaction ends. Returns the synchronous
    /// standbys and the database's clock in seconds since 1970. The commit then waits for the disk and those standbys.
    static let takeTurn = DatabaseStatement(
        "take turn",
        """
        UPDATE site_state SET changes = changes + 1
        RETURNING current_setting('synchronous_standby_names'), set_config('synchronous_commit',
            CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true),
          changes, generation, number, floor(extract(epoch FROM clock_timestamp()))::bigint, document
        """)
    /// Makes the same settings in transactions without the write lock.
    static let takeStandby = DatabaseStatement(
        "take standby",
        """
        SELECT current_setting('synchronous_standby_names'), set_config('synchronous_commit',
          CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)
        """)
    /// Ends the wait for another transaction's lock before the caller's deadline does.
    static let waitBriefly = DatabaseStatement("wait briefly", "SELECT set_config('lock_timeout', '2s', true)")
    static let write = DatabaseStatement(
        "write",
        """
        INSERT INTO server_writes VALUES ($1, now()) ON CONFLICT (server) DO UPDATE SET stored_at = excluded.stored_at
        """)
    static let look = DatabaseStatement(
        "look",
        """
        SELECT changes, generation, site_state.number, floor(extract(epoch FROM clock_timestamp()))::bigint, site,
          audit_head.number, audit_head.hash, current_setting('synchronous_standby_names')
        FROM site_state LEFT JOIN audit_head ON true
        """)
    static let create = DatabaseStatement(
        "create site", "INSERT INTO site_state (site, generation, document) VALUES ($1, $2, $3)")
    static let addDocument = DatabaseStatement(
        "add document", "INSERT INTO site_documents (version, bytes, change) VALUES ($1, $2, $3)")
    static let newestDocument = DatabaseStatement(
        "newest document",
        "SELECT bytes FROM site_documents WHERE change > $1 ORDER BY version DESC LIMIT 1")
    /// All documents that were ever published, oldest first: a few a year.
    static let documents = DatabaseStatement("documents", "SELECT bytes FROM site_documents ORDER BY version")
    static let stateDocument = DatabaseStatement(
        "state document", "UPDATE site_state SET document = $1, generation = $2, number = $3")
    /// Entries that have not expired at the time $2, in the order of their numbers.
    static let liveEntries = DatabaseStatement(
        "live entries",
        """
        SELECT content || signature, of_box FROM revocations
        WHERE generation = $1 AND substring(content FROM 35 FOR 8) > int8send($2::bigint) ORDER BY number
        """)
    static let entriesAbove = DatabaseStatement(
        "entries above",
        """
        SELECT number, content || signature FROM revocations
        WHERE generation = $1 AND number > $2 AND substring(content FROM 35 FOR 8) > int8send($3::bigint)
        ORDER BY number LIMIT 16384
        """)
    /// Read in pages, because a site may have a million boxes.
    static let boxesChanged = DatabaseStatement(
        "boxes changed",
        """
        SELECT id, name, number, groups, state, key, change FROM boxes WHERE (change, id) > ($1, $2)
        ORDER BY change, id LIMIT 5000
        """)
    static let boxesPage = DatabaseStatement(
        "boxes page",
        "SELECT id, name, number, groups, state, key, change FROM boxes WHERE id > $1 ORDER BY id LIMIT 1000")
    static let boxNamed = DatabaseStatement(
        "box named",
        """
        SELECT id, name, number, groups, state, key, change FROM boxes WHERE name = $1 AND state <> 'removed' FOR UPDATE
        """)
    static let boxNumbered = DatabaseStatement(
        "box numbered",
        """
        SELECT id, name, number, groups, state, key, change FROM boxes WHERE number = $1 AND state <> 'removed'
        """)
    static let boxByID = DatabaseStatement(
        "box by id",
        "SELECT id, name, number, groups, state, key, change FROM boxes WHERE id = $1 FOR UPDATE")
    static let boxWithKey = DatabaseStatement(
        "box with key",
        "SELECT id, name, number, groups, state, key, change FROM boxes WHERE key = $1")
    static let addBox = DatabaseStatement(
        "add box",
        """
        INSERT INTO boxes (name, number, groups, state, change) VALUES ($1, $2, $3, 'invited', $4) RETURNING id
        """)
    static let addCode = DatabaseStatement(
        "add code",
        "INSERT INTO join_codes (id, box, expires_at) VALUES ($1, $2, to_timestamp($3::bigint))")
    static let code = DatabaseStatement(
        "code",
        """
        SELECT used_by, floor(extract(epoch FROM expires_at))::bigint, box FROM join_codes WHERE id = $1 FOR UPDATE
        """)
    static let useCode = DatabaseStatement("use code", "UPDATE join_codes SET used_by = $2 WHERE id = $1")
    static let join = DatabaseStatement(
        "join",
        "UPDATE boxes SET key = $2, state = 'joined', joined_at = now(), change = $3 WHERE id = $1")
    static let remove = DatabaseStatement(
        "remove",
        "UPDATE boxes SET state = 'removed', removed_at = now(), change = $2 WHERE id = $1")
    static let suspend = DatabaseStatement(
        "suspend", "UPDATE boxes SET state = 'suspended', change = $2 WHERE id = $1 AND state = 'joined'")
    static let unsuspend = DatabaseStatement(
        "unsuspend", "UPDATE boxes SET state = 'joined', change = $2 WHERE id = $1 AND state = 'suspended'")
    static let hasEntry = DatabaseStatement(
        "has entry", "SELECT 1 FROM revocations WHERE generation = $1 AND content = $2")
    static let addEntry = DatabaseStatement(
        "add entry",
        "INSERT INTO revocations (generation, number, content, signature, of_box) VALUES ($1, $2, $3, $4, $5)")
    static let raiseNumber = DatabaseStatement(
        "raise number", "UPDATE site_state SET number = greatest(number, $1::bigint)")
}
