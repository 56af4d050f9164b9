-- Codes with which many boxes join, and boxes that wait for an administrator (docs/decisions/051-bulk-codes.md). No secret is here, as
-- with join codes.

CREATE TABLE bulk_codes (
    id         bytea PRIMARY KEY CHECK (octet_length(id) = 8),
    -- What the names of its boxes begin with.
    name       text NOT NULL CHECK (name ~ '^[!-~]{1,50}$'),
    groups     bytea NOT NULL CHECK (octet_length(groups) BETWEEN 2 AND 16),
    places     integer NOT NULL CHECK (places BETWEEN 1 AND 1000),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);

-- Keys that were listed in advance: they join without waiting.
CREATE TABLE bulk_fingerprints (
    code        bytea NOT NULL REFERENCES bulk_codes,
    fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 16),
    PRIMARY KEY (code, fingerprint)
);

-- Each key that has come with a bulk code: a place is taken once.
CREATE TABLE bulk_boxes (
    key         bytea PRIMARY KEY CHECK (octet_length(key) = 32),
    fingerprint bytea NOT NULL UNIQUE CHECK (octet_length(fingerprint) = 16),
    code        bytea NOT NULL REFERENCES bulk_codes,
    came_at     timestamptz NOT NULL DEFAULT now(),
    -- The box that it became; none: it waits, or was rejected.
    box         bigint REFERENCES boxes,
    rejected_at timestamptz
);
CREATE INDEX bulk_boxes_code ON bulk_boxes (code, came_at);
