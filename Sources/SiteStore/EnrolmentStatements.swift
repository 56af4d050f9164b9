import PostgreSQL

/// What is said to the database of enrolments.
enum EnrolmentStatements {
    static let add = DatabaseStatement(
        "add enrolment",
        """
        INSERT INTO enrolments (id, user_name, label, groups, state, expires_at, site_held)
        VALUES ($1, $2, $3, $4, 'open', to_timestamp($5::bigint), $6)
        """)
    /// The row, and behind it the database's clock.
    static let row = DatabaseStatement(
        "enrolment",
        """
        SELECT state, user_name, groups, label, floor(extract(epoch FROM expires_at))::bigint, phone_key, phone_name, digits,
          site_held, floor(extract(epoch FROM clock_timestamp()))::bigint
        FROM enrolments WHERE id = $1
        """)
    /// Codes that a phone may still come with.
    static let countOpen = DatabaseStatement(
        "open enrolments",
        "SELECT count(*) FROM enrolments WHERE state = 'open' AND expires_at > to_timestamp($1::bigint)")
    /// A phone that did not hear how it ended asks for a day.
    static let forget = DatabaseStatement(
        "forget enrolments", "DELETE FROM enrolments WHERE expires_at < to_timestamp($1::bigint - 86400)")
    static let claim = DatabaseStatement(
        "claim enrolment", "UPDATE enrolments SET state = 'claimed', phone_key = $2, phone_name = $3 WHERE id = $1")
    static let show = DatabaseStatement(
        "show enrolment", "UPDATE enrolments SET state = 'shown', digits = $2 WHERE id = $1")
    static let end = DatabaseStatement("end enrolment", "UPDATE enrolments SET state = $2 WHERE id = $1")
}
