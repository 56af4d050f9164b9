import PostgreSQL

enum SurveyStatements {
    /// The transaction does not wait for a disk or a standby, because lost rows are written again within an hour.
    static let doNotWait = DatabaseStatement(
        "do not wait", "SELECT set_config('synchronous_commit', 'off', true)")
    /// $1 has IDs and $2 programs, one on each line, since a program has no line breaks. The rows are sorted, because
    /// two servers that run the statement at once must lock them in the same order.
    static let see = DatabaseStatement(
        "see boxes",
        """
        INSERT INTO box_contacts (box, seen_at, program)
        SELECT boxes.id, now(), coalesce(seen.program, '')
        FROM unnest(string_to_array($1::text, E'\\n')::bigint[], string_to_array($2::text, E'\\n')) AS seen (box, program)
          JOIN boxes ON boxes.id = seen.box
        ORDER BY boxes.id
        ON CONFLICT (box) DO UPDATE SET seen_at = excluded.seen_at, program = excluded.program
        WHERE box_contacts.seen_at < excluded.seen_at - interval '50 minutes' OR box_contacts.program <> excluded.program
        """)
    static let survey = DatabaseStatement(
        "survey",
        """
        SELECT floor(extract(epoch FROM min(coalesce(seen_at, joined_at))))::bigint,
          count(*) FILTER (WHERE coalesce(seen_at, joined_at) < now() - $1::bigint * interval '1 day'),
          (SELECT count(*) FROM phone_credentials WHERE wiped_at > now() - $2::bigint * interval '1 day'),
          (SELECT count(*) FROM (
            SELECT 1 FROM enrolments WHERE box IS NOT NULL AND began_at > now() - interval '1 day'
            GROUP BY box HAVING count(*) >= $3::bigint) AS asking)
        FROM boxes LEFT JOIN box_contacts ON box = id WHERE state = 'joined'
        """)
    static let seenPage = DatabaseStatement(
        "seen page",
        """
        SELECT boxes.id, name, number, groups, state, key, change, floor(extract(epoch FROM seen_at))::bigint, program
        FROM boxes LEFT JOIN box_contacts ON box = id WHERE boxes.id > $1 ORDER BY boxes.id LIMIT 1000
        """)
}
