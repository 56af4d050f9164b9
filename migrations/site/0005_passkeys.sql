-- Passkeys of administrators for the site's page (docs/decisions/046-site-page.md). Nothing here is secret.

CREATE TABLE passkeys (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    administrator bigint NOT NULL REFERENCES administrators,
    -- WebAuthn's credential id, which the authenticator chose.
    credential    bytea NOT NULL UNIQUE CHECK (octet_length(credential) BETWEEN 1 AND 1023),
    -- A point on P-256, uncompressed.
    key           bytea NOT NULL CHECK (octet_length(key) = 65),
    -- How often it has signed, as it says; 0 always: it does not count.
    counter       bigint NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
    added_at      timestamptz NOT NULL DEFAULT now(),
    used_at       timestamptz
);
CREATE INDEX passkeys_administrator ON passkeys (administrator, id);

-- Who may set up a passkey by a one-time code, of which the hash is here: one code at a time for each administrator.
CREATE TABLE passkey_links (
    administrator bigint PRIMARY KEY REFERENCES administrators,
    code_hash     bytea NOT NULL UNIQUE CHECK (octet_length(code_hash) = 32),
    expires_at    timestamptz NOT NULL
);
