-- The chained audit table (docs/decisions/047-site-audit.md). The table `audit` of before stays for servers of the version
-- before, and is not written to any more.

CREATE TABLE audit_entries (
    number bigint PRIMARY KEY CHECK (number > 0),
    -- Seconds since 1970, by the database's clock.
    at     bigint NOT NULL,
    event  text NOT NULL CHECK (octet_length(event) BETWEEN 1 AND 64),
    -- By numbers and ids, which say nothing without the tables that name them.
    actor   text NOT NULL CHECK (octet_length(actor) <= 64),
    subject text NOT NULL CHECK (octet_length(subject) <= 64),
    detail  text NOT NULL CHECK (octet_length(detail) <= 255),
    hash    bytea NOT NULL CHECK (octet_length(hash) = 32),
    -- Not covered by the hash, and forgotten after 90 days.
    actor_name   text CHECK (octet_length(actor_name) <= 255),
    subject_name text CHECK (octet_length(subject_name) <= 255)
);
CREATE INDEX audit_entries_named ON audit_entries (at) WHERE actor_name IS NOT NULL OR subject_name IS NOT NULL;

-- The newest entry. Whoever writes one takes this row first, behind that of site_state where both are taken.
CREATE TABLE audit_head (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    number bigint NOT NULL CHECK (number >= 0),
    hash   bytea NOT NULL CHECK (octet_length(hash) = 32)
);
INSERT INTO audit_head (number, hash) VALUES (0, decode(repeat('00', 32), 'hex'));
