-- Users and phones of a site (docs/decisions/040-phones-of-a-site.md). No server holds them in memory. Nothing here is secret.

CREATE TABLE users (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Random; it stands for the user in entries, which have no names.
    user_id    bytea NOT NULL UNIQUE CHECK (octet_length(user_id) = 16),
    -- The account on the boxes. It never changes.
    name       text NOT NULL UNIQUE CHECK (octet_length(name) BETWEEN 1 AND 64),
    state      text NOT NULL CHECK (state IN ('active', 'revoked')),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The entry of kind 2 that reaches furthest: what was issued up to here is taken back. It stays when the user is active again.
    revoked_generation bigint CHECK (revoked_generation > 0),
    revoked_number     bigint CHECK (revoked_number >= 0),
    revoked_until      timestamptz,
    CHECK ((revoked_generation IS NULL) = (revoked_number IS NULL)
        AND (revoked_generation IS NULL) = (revoked_until IS NULL)),
    CHECK (state = 'active' OR revoked_generation IS NOT NULL)
);

CREATE TABLE phones (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- X25519. A key that was revoked never comes back.
    key          bytea NOT NULL UNIQUE CHECK (octet_length(key) = 32),
    -- The id by which boxes know the phone too; administrators give a beginning of it.
    device_id    bytea NOT NULL UNIQUE CHECK (octet_length(device_id) = 16),
    owner        bigint NOT NULL REFERENCES users,
    label        text NOT NULL CHECK (octet_length(label) <= 64),
    -- 2 bytes for each, ascending.
    groups       bytea NOT NULL CHECK (octet_length(groups) BETWEEN 2 AND 16),
    state        text NOT NULL CHECK (state IN ('active', 'revoked')),
    -- The newest grant, and where in the life of the site it was issued.
    issued       bytea NOT NULL CHECK (octet_length(issued) BETWEEN 151 AND 228),
    generation   bigint NOT NULL CHECK (generation > 0),
    number       bigint NOT NULL CHECK (number >= 0),
    issued_at    timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    added_at     timestamptz NOT NULL DEFAULT now(),
    -- By a box; null: never.
    renewed_at   timestamptz,
    revoked_at   timestamptz
);
CREATE INDEX phones_owner ON phones (owner, id);

-- Whether an entry takes back a phone: kind (1) and key (32).
CREATE INDEX revocations_subject ON revocations (substring(content FROM 2 FOR 33));
