-- The site that the box belongs to (docs/site-protocol.md), at most one. Everything but the servers was verified before it came
-- here. times are seconds; a boot is the kernel's boot id, 16 bytes, and a clock the seconds of CLOCK_BOOTTIME in it.
CREATE TABLE site (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    document       BLOB NOT NULL CHECK (length(document) BETWEEN 162 AND 818),
    certificate    BLOB NOT NULL CHECK (length(certificate) = 141),
    issuer_key     BLOB NOT NULL CHECK (length(issuer_key) = 32),
    -- Addresses, each with its length in front (1 byte).
    servers        BLOB NOT NULL CHECK (length(servers) BETWEEN 2 AND 260),
    head           BLOB CHECK (length(head) = 137),
    time_seconds   INTEGER,
    time_boot      BLOB CHECK (length(time_boot) = 16),
    time_clock     INTEGER,
    -- Hours that the box was without a fresh head, and until when the last of them lasts.
    hours_spent    INTEGER,
    hours_boot     BLOB CHECK (length(hours_boot) = 16),
    hours_clock    INTEGER,
    CHECK ((time_seconds IS NULL) = (time_boot IS NULL) AND (time_seconds IS NULL) = (time_clock IS NULL)),
    CHECK ((hours_spent IS NULL) = (hours_boot IS NULL) AND (hours_spent IS NULL) = (hours_clock IS NULL))
) STRICT;

-- What the site has taken back, in the site's present generation.
CREATE TABLE site_revocations (
    entry BLOB PRIMARY KEY CHECK (length(entry) = 122)
) STRICT, WITHOUT ROWID;
