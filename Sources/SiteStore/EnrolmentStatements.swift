import PostgreSQL

enum EnrolmentStatements {
    static let add = DatabaseStatement(
        "add enrolment",
        """
        INSERT INTO enrolments (id, user_name, label, groups, state, expires_at, site_held)
        VALUES ($1, $2, $3, $4, 'open', to_timestamp($5::bigint), $6)
        """)
    /// The row, followed by the database's clock.
    static let row = DatabaseStatement(
        "enrolment",
        """
        SELECT state, user_name, groups, label, floor(extract(epoch FROM expires_at))::bigint, phone_key, phone_name, digits,
          site_held, floor(extract(epoch FROM clock_timestamp()))::bigint
        FROM enrolments WHERE id = $1
        """)
    /// Codes of administrators that a phone can still use.
    static let countOpen = DatabaseStatement(
        "open enrolments",
        "SELECT count(*) FROM enrolments WHERE state = 'open' AND box IS NULL AND expires_at > to_timestamp($1::bigint)"
    )
    /// Expired codes stay for a day, because a phone that did not hear the result may ask for it.
    static let forget = DatabaseStatement(
        "forget enrolments", "DELETE FROM enrolments WHERE expires_at < to_timestamp($1::bigint - 86400)")
    static let claim = DatabaseStatement(
        "claim enrolment", "UPDATE enrolments SET state = 'claimed', phone_key = $2, phone_name = $3 WHERE id = $1")
    static let show = DatabaseStatement(
        "show enrolment", "UPDATE enrolments SET state = 'shown', digits = $2 WHERE id = $1")
    static let addOfBox = DatabaseStatement(
        "add enrolment of box",
        """
        INSERT INTO enrolments (id, user_name, groups, state, expires_at, box, replaces, began_at)
        VALUES ($1, $2, $3, 'open', to_timestamp($4::bigint), $5, $6, to_timestamp($7::bigint))
        """)
    /// The codes of one box and of one user within a day, and the codes of all boxes that can still be used.
    static let countOfBoxes = DatabaseStatement(
        "enrolments of boxes",
        """
        SELECT count(*) FILTER (WHERE box = $1), count(*) FILTER (WHERE user_name = $2),
          count(*) FILTER (WHERE state = 'open' AND expires_at > to_timestamp($3::bigint))
        FROM enrolments WHERE box IS NOT NULL AND began_at > to_timestamp($3::bigint - 86400)
        """)
    /// The box that asked for the code, and the phone that the new one replaces.
    static let ofBox = DatabaseStatement("enrolment of box", "SELECT box, replaces FROM enrolments WHERE id = $1")
    /// Unexpired notices of a generation. Byte 2 of an entry is the kind, and bytes 35 to 42 are the expiry.
    static let countNotices = DatabaseStatement(
        "count notices",
        """
        SELECT count(*) FROM revocations
        WHERE generation = $1 AND get_byte(content, 1) = 4 AND substr(content, 35, 8) > int8send($2::bigint)
        """)
    static let end = DatabaseStatement("end enrolment", "UPDATE enrolments SET state = $2 WHERE id = $1")
}
