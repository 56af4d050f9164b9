import PostgreSQL

/// SQL statements about lists that are read in parts. Each part begins at a place in the list's order, so the hundredth
/// part takes no longer than the first. A group has 2 bytes. Two columns of groups match if they share a group.
enum ListStatements {
    /// $1 is the search text, $2 the search text as a group, $3 the state, and $4 the groups of the reader. $5 has the
    /// rows of linked boxes, as `{1,2}`, and $6 tells whether those or all others are wanted.
    static let boxesAfter = DatabaseStatement(
        "boxes after",
        """
        SELECT id, name, number, groups, state, key, change, floor(extract(epoch FROM seen_at))::bigint, program
        FROM boxes LEFT JOIN box_contacts ON box = id
        WHERE CASE WHEN $3::text IS NULL THEN state <> 'removed' ELSE state = $3 END
          AND ($1::text IS NULL OR starts_with(number, $1) OR strpos(lower(name), lower($1)) > 0
            OR $2::bytea IS NOT NULL AND EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(groups), 2) a, generate_series(1, octet_length($2::bytea), 2) b
            WHERE substring(groups FROM a FOR 2) = substring($2::bytea FROM b FOR 2)))
          AND ($4::bytea IS NULL OR EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(groups), 2) a, generate_series(1, octet_length($4::bytea), 2) b
            WHERE substring(groups FROM a FOR 2) = substring($4::bytea FROM b FOR 2)))
          AND ($5::text IS NULL OR (id = ANY ($5::text::bigint[])) = $6::boolean)
          AND (number, id) > ($7::text, $8::bigint)
        ORDER BY number, id LIMIT $9::bigint
        """)
    static let boxesBefore = DatabaseStatement(
        "boxes before",
        """
        SELECT id, name, number, groups, state, key, change, floor(extract(epoch FROM seen_at))::bigint, program
        FROM boxes LEFT JOIN box_contacts ON box = id
        WHERE CASE WHEN $3::text IS NULL THEN state <> 'removed' ELSE state = $3 END
          AND ($1::text IS NULL OR starts_with(number, $1) OR strpos(lower(name), lower($1)) > 0
            OR $2::bytea IS NOT NULL AND EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(groups), 2) a, generate_series(1, octet_length($2::bytea), 2) b
            WHERE substring(groups FROM a FOR 2) = substring($2::bytea FROM b FOR 2)))
          AND ($4::bytea IS NULL OR EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(groups), 2) a, generate_series(1, octet_length($4::bytea), 2) b
            WHERE substring(groups FROM a FOR 2) = substring($4::bytea FROM b FOR 2)))
          AND ($5::text IS NULL OR (id = ANY ($5::text::bigint[])) = $6::boolean)
          AND (number, id) < ($7::text, $8::bigint)
        ORDER BY number DESC, id DESC LIMIT $9::bigint
        """)
    static let boxesFound = DatabaseStatement(
        "boxes found",
        """
        SELECT count(*) FROM (SELECT 1 FROM boxes WHERE CASE WHEN $3::text IS NULL THEN state <> 'removed' ELSE state = $3 END
          AND ($1::text IS NULL OR starts_with(number, $1) OR strpos(lower(name), lower($1)) > 0
            OR $2::bytea IS NOT NULL AND EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(groups), 2) a, generate_series(1, octet_length($2::bytea), 2) b
            WHERE substring(groups FROM a FOR 2) = substring($2::bytea FROM b FOR 2)))
          AND ($4::bytea IS NULL OR EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(groups), 2) a, generate_series(1, octet_length($4::bytea), 2) b
            WHERE substring(groups FROM a FOR 2) = substring($4::bytea FROM b FOR 2)))
          AND ($5::text IS NULL OR (id = ANY ($5::text::bigint[])) = $6::boolean)
          LIMIT $7::bigint) found
        """)
    static let boxNumbered = DatabaseStatement(
        "listed box numbered",
        """
        SELECT id, name, number, groups, state, key, change, floor(extract(epoch FROM seen_at))::bigint, program
        FROM boxes LEFT JOIN box_contacts ON box = id WHERE number = $1 AND state <> 'removed'
        """)
    /// Counts joined, invited and suspended boxes. $1 has the groups of the reader.
    static let boxesByState = DatabaseStatement(
        "boxes by state",
        """
        SELECT count(*) FILTER (WHERE state = 'joined'), count(*) FILTER (WHERE state = 'invited'),
          count(*) FILTER (WHERE state = 'suspended')
        FROM boxes WHERE state <> 'removed' AND ($1::bytea IS NULL OR EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(groups), 2) a, generate_series(1, octet_length($1::bytea), 2) b
            WHERE substring(groups FROM a FOR 2) = substring($1::bytea FROM b FOR 2)))
        """)
    /// $1 is the search text. $2 and $3 bound the IDs that begin with it. $4 is the user's name, and $5 has the groups
    /// of the reader. The condition `u.name >= $6` lets PostgreSQL use an index.
    static let phonesAfter = DatabaseStatement(
        "phones after",
        """
        SELECT p.id, p.key, u.user_id, u.name, u.state, u.revoked_generation, u.revoked_number, p.label, p.groups, p.state,
          p.issued, floor(extract(epoch FROM p.added_at))::bigint, floor(extract(epoch FROM p.issued_at))::bigint,
          floor(extract(epoch FROM p.renewed_at))::bigint
        FROM phones p JOIN users u ON u.id = p.owner
        WHERE ($1::text IS NULL OR strpos(lower(u.name), lower($1)) > 0 OR strpos(lower(p.label), lower($1)) > 0
            OR p.device_id BETWEEN $2::bytea AND $3::bytea)
          AND ($4::text IS NULL OR u.name = $4)
          AND ($5::bytea IS NULL OR EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(p.groups), 2) a, generate_series(1, octet_length($5::bytea), 2) b
            WHERE substring(p.groups FROM a FOR 2) = substring($5::bytea FROM b FOR 2)))
          AND u.name >= $6::text AND (u.name > $6 OR p.id > $7::bigint)
        ORDER BY u.name, p.id LIMIT $8::bigint
        """)
    static let phonesBefore = DatabaseStatement(
        "phones before",
        """
        SELECT p.id, p.key, u.user_id, u.name, u.state, u.revoked_generation, u.revoked_number, p.label, p.groups, p.state,
          p.issued, floor(extract(epoch FROM p.added_at))::bigint, floor(extract(epoch FROM p.issued_at))::bigint,
          floor(extract(epoch FROM p.renewed_at))::bigint
        FROM phones p JOIN users u ON u.id = p.owner
        WHERE ($1::text IS NULL OR strpos(lower(u.name), lower($1)) > 0 OR strpos(lower(p.label), lower($1)) > 0
            OR p.device_id BETWEEN $2::bytea AND $3::bytea)
          AND ($4::text IS NULL OR u.name = $4)
          AND ($5::bytea IS NULL OR EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(p.groups), 2) a, generate_series(1, octet_length($5::bytea), 2) b
            WHERE substring(p.groups FROM a FOR 2) = substring($5::bytea FROM b FOR 2)))
          AND u.name <= $6::text AND (u.name < $6 OR p.id < $7::bigint)
        ORDER BY u.name DESC, p.id DESC LIMIT $8::bigint
        """)
    static let phonesFound = DatabaseStatement(
        "phones found",
        """
        SELECT count(*) FROM (SELECT 1 FROM phones p JOIN users u ON u.id = p.owner WHERE ($1::text IS NULL OR strpos(lower(u.name), lower($1)) > 0 OR strpos(lower(p.label), lower($1)) > 0
            OR p.device_id BETWEEN $2::bytea AND $3::bytea)
          AND ($4::text IS NULL OR u.name = $4)
          AND ($5::bytea IS NULL OR EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(p.groups), 2) a, generate_series(1, octet_length($5::bytea), 2) b
            WHERE substring(p.groups FROM a FOR 2) = substring($5::bytea FROM b FOR 2)))
          LIMIT $6::bigint) found
        """)
    /// Waiting boxes by their arrival. $1 has the groups of the reader.
    static let waitingAfter = DatabaseStatement(
        "waiting boxes after",
        """
        SELECT b.key, b.fingerprint, c.name, c.groups, floor(extract(epoch FROM b.came_at))::bigint,
          (extract(epoch FROM b.came_at) * 1000000)::bigint, encode(b.fingerprint, 'hex')
        FROM bulk_boxes b JOIN bulk_codes c ON c.id = b.code
        WHERE b.box IS NULL AND b.rejected_at IS NULL AND ($1::bytea IS NULL OR EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(c.groups), 2) x, generate_series(1, octet_length($1::bytea), 2) y
            WHERE substring(c.groups FROM x FOR 2) = substring($1::bytea FROM y FOR 2)))
          AND ((extract(epoch FROM b.came_at) * 1000000)::bigint, encode(b.fingerprint, 'hex')) > ($3::bigint, $2::text)
        ORDER BY 6, 7 LIMIT $4::bigint
        """)
    static let waitingBefore = DatabaseStatement(
        "waiting boxes before",
        """
        SELECT b.key, b.fingerprint, c.name, c.groups, floor(extract(epoch FROM b.came_at))::bigint,
          (extract(epoch FROM b.came_at) * 1000000)::bigint, encode(b.fingerprint, 'hex')
        FROM bulk_boxes b JOIN bulk_codes c ON c.id = b.code
        WHERE b.box IS NULL AND b.rejected_at IS NULL AND ($1::bytea IS NULL OR EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(c.groups), 2) x, generate_series(1, octet_length($1::bytea), 2) y
            WHERE substring(c.groups FROM x FOR 2) = substring($1::bytea FROM y FOR 2)))
          AND ((extract(epoch FROM b.came_at) * 1000000)::bigint, encode(b.fingerprint, 'hex')) < ($3::bigint, $2::text)
        ORDER BY 6 DESC, 7 DESC LIMIT $4::bigint
        """)
    static let waitingFound = DatabaseStatement(
        "waiting boxes found",
        """
        SELECT count(*) FROM (SELECT 1 FROM bulk_boxes b JOIN bulk_codes c ON c.id = b.code
          WHERE b.box IS NULL AND b.rejected_at IS NULL AND ($1::bytea IS NULL OR EXISTS (
            SELECT 1 FROM generate_series(1, octet_length(c.groups), 2) x, generate_series(1, octet_length($1::bytea), 2) y
            WHERE substring(c.groups FROM x FOR 2) = substring($1::bytea FROM y FOR 2)))
          LIMIT $2::bigint) found
        """)
}
