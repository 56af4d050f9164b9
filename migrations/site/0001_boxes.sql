-- What a site keeps (docs/decisions/038-site-server.md). Whoever changes what servers hold in memory takes the row of
-- site_state first: so changes are numbered in the order in which they are committed, and a server that has seen
-- `changes` has seen all of them.

CREATE TABLE site_state (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    site       bytea NOT NULL CHECK (octet_length(site) = 16),
    changes    bigint NOT NULL DEFAULT 1 CHECK (changes > 0),
    -- As in docs/site-protocol.md: the root's number and a count, 4 bytes each.
    generation bigint NOT NULL CHECK (generation > 0),
    -- Of the entries of this generation; 0 before the first.
    number     bigint NOT NULL DEFAULT 0 CHECK (number >= 0)
);

CREATE TABLE site_documents (
    version bigint PRIMARY KEY CHECK (version > 0),
    bytes   bytea NOT NULL CHECK (octet_length(bytes) BETWEEN 162 AND 818),
    change  bigint NOT NULL
);

CREATE TABLE boxes (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL CHECK (name ~ '^[!-~]{1,64}$'),
    number     text NOT NULL CHECK (number ~ '^[0-9]{6}$'),
    -- 2 bytes for each, ascending.
    groups     bytea NOT NULL CHECK (octet_length(groups) BETWEEN 2 AND 16),
    state      text NOT NULL CHECK (state IN ('invited', 'joined', 'suspended', 'removed')),
    -- X25519. A key never comes back, also not when its box was removed.
    key        bytea UNIQUE CHECK (octet_length(key) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    joined_at  timestamptz,
    removed_at timestamptz,
    change     bigint NOT NULL,
    CHECK ((state = 'invited') = (key IS NULL) OR state = 'removed')
);
-- Name and number may be given again once their box is removed: the one that replaces it.
CREATE UNIQUE INDEX boxes_name ON boxes (name) WHERE state <> 'removed';
CREATE UNIQUE INDEX boxes_number ON boxes (number) WHERE state <> 'removed';
CREATE INDEX boxes_change ON boxes (change, id);

-- The secret of a code follows from its id and the site's secret, which is in no database.
CREATE TABLE join_codes (
    id         bytea PRIMARY KEY CHECK (octet_length(id) = 8),
    box        bigint NOT NULL REFERENCES boxes,
    expires_at timestamptz NOT NULL,
    used_by    bytea CHECK (octet_length(used_by) = 32)
);
CREATE INDEX join_codes_box ON join_codes (box);

CREATE TABLE revocations (
    generation bigint NOT NULL,
    number     bigint NOT NULL CHECK (number > 0),
    -- The entry without its signature: two with the same are one.
    content    bytea NOT NULL CHECK (octet_length(content) = 58),
    signature  bytea NOT NULL CHECK (octet_length(signature) = 64),
    made_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (generation, number),
    UNIQUE (generation, content)
);

-- Who did what, for people to read.
CREATE TABLE audit (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at     timestamptz NOT NULL DEFAULT now(),
    actor  text NOT NULL,
    action text NOT NULL,
    detail text NOT NULL
);
