import PostgreSQL

enum AuditStatements {
    /// Locks the head, so that the next entry is the caller's. Also returns the database's clock.
    static let takeHead = DatabaseStatement(
        "take audit head",
        "SELECT number, hash, floor(extract(epoch FROM clock_timestamp()))::bigint FROM audit_head FOR UPDATE")
    static let raiseHead = DatabaseStatement("raise audit head", "UPDATE audit_head SET number = $1, hash = $2")
    static let add = DatabaseStatement(
        "add audit entry",
        """
        INSERT INTO audit_entries (number, at, event, actor, subject, detail, hash, actor_name, subject_name)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """)
    static let head = DatabaseStatement("audit head", "SELECT number, hash FROM audit_head")
    /// A page of all entries, with their hashes.
    static let page = DatabaseStatement(
        "audit page",
        """
        SELECT number, at, event, actor, subject, detail, actor_name, subject_name, hash FROM audit_entries
        WHERE number > $1 ORDER BY number LIMIT 1000
        """)
    /// A page of chosen entries. $4 and $5 are IDs or names. $8 is the only administrator whose entries may be seen.
    static let chosen = DatabaseStatement(
        "audit chosen",
        """
        SELECT number, at, event, actor, subject, detail, actor_name, subject_name, hash FROM audit_entries
        WHERE number > $1 AND at >= $2 AND at < $3
          AND ($4::text IS NULL OR actor = $4 OR actor_name = $4 OR starts_with(actor, $4 || ','))
          AND ($5::text IS NULL OR subject = $5 OR subject_name = $5)
          AND ($6::text IS NULL OR event = $6)
          AND ($8::text IS NULL OR actor = $8 OR starts_with(actor, $8 || ','))
          AND ($9::bigint IS NULL OR number < $9)
        ORDER BY number LIMIT $7
        """)
    /// The same, beginning with the newest.
    static let newest = DatabaseStatement(
        "audit newest",
        """
        SELECT number, at, event, actor, subject, detail, actor_name, subject_name, hash FROM audit_entries
        WHERE number > $1 AND at >= $2 AND at < $3
          AND ($4::text IS NULL OR actor = $4 OR actor_name = $4 OR starts_with(actor, $4 || ','))
          AND ($5::text IS NULL OR subject = $5 OR subject_name = $5)
          AND ($6::text IS NULL OR event = $6)
          AND ($8::text IS NULL OR actor = $8 OR starts_with(actor, $8 || ','))
          AND ($9::bigint IS NULL OR number < $9)
        ORDER BY number DESC LIMIT $7
        """)
    static let forgetNames = DatabaseStatement(
        "forget names",
        """
        UPDATE audit_entries SET actor_name = NULL, subject_name = NULL WHERE number IN (
          SELECT number FROM audit_entries
          WHERE at < extract(epoch FROM clock_timestamp())::bigint - $1
            AND (actor_name IS NOT NULL OR subject_name IS NOT NULL)
          ORDER BY at LIMIT 10000)
        """)
    /// Deletes whole rows of the table from before the chain, because each of them has names.
    static let forgetOld = DatabaseStatement(
        "forget old audit",
        "DELETE FROM audit WHERE at < clock_timestamp() - make_interval(secs => $1::bigint)")
}
