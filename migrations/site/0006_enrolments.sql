-- Enrolment codes of phones (docs/decisions/043-enrolment-at-a-site.md). The secret of a code follows from its id and the site's
-- secret, which is in no database. A code is taken once: each step is a change of its one row.

CREATE TABLE enrolments (
    id         bytea PRIMARY KEY CHECK (octet_length(id) = 8),
    user_name  text NOT NULL CHECK (octet_length(user_name) BETWEEN 1 AND 64),
    -- As the administrator calls the phone; null: as it calls itself.
    label      text CHECK (octet_length(label) <= 64),
    -- 2 bytes for each, ascending.
    groups     bytea NOT NULL CHECK (octet_length(groups) BETWEEN 2 AND 16),
    state      text NOT NULL CHECK (state IN ('open', 'claimed', 'shown', 'done', 'declined', 'cancelled', 'lost')),
    expires_at timestamptz NOT NULL,
    -- Of the phone that has committed to its digits: X25519.
    phone_key  bytea CHECK (octet_length(phone_key) = 32),
    phone_name text CHECK (octet_length(phone_name) <= 64),
    digits     text CHECK (digits ~ '^[0-9]{6}$'),
    CHECK ((phone_key IS NULL) = (state IN ('open', 'cancelled')) OR state IN ('cancelled', 'lost')),
    CHECK (digits IS NOT NULL OR state NOT IN ('shown', 'done', 'declined'))
);
CREATE INDEX enrolments_expiry ON enrolments (expires_at);
