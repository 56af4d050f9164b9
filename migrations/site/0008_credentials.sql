-- Credentials that the site holds for phones (docs/decisions/044-site-held-credentials.md). Nothing here opens one: that takes the
-- site's secret, which is in no database, and what the phone makes of its device secret and the PIN.

-- What the root says of the key to which phones seal what only the site may read. Not secret.
CREATE TABLE site_keys (
    -- As in docs/site-protocol.md: the root's number and a count, 4 bytes each.
    number bigint PRIMARY KEY CHECK (number > 0),
    bytes  bytea NOT NULL CHECK (octet_length(bytes) = 105)
);

-- One row for each phone whose credential the site holds, from its grant on. It stays when the credential is destroyed: an earlier
-- request must not count again. Half of each page is left free, so that a try changes no other page and no index.
CREATE TABLE phone_credentials (
    phone        bigint PRIMARY KEY REFERENCES phones,
    -- Of the last request that counted; only one above does.
    counter      bigint NOT NULL DEFAULT 0 CHECK (counter >= 0),
    -- Random, new with each storing and each change of the PIN: it names what stands here. Null: nothing does.
    salt         bytea CHECK (octet_length(salt) = 16),
    wrapped_key  bytea CHECK (octet_length(wrapped_key) = 72),
    content      bytea CHECK (octet_length(content) = 553),
    -- Tries that were spent since the last right PIN; the last of them.
    used         smallint NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND 10),
    is_last      boolean NOT NULL DEFAULT false,
    -- Milliseconds since 1970, by the database's clock.
    locked_until bigint,
    spent_at     bigint,
    -- It was destroyed, and nothing stored since.
    wiped_at     timestamptz,
    CHECK ((salt IS NULL) = (wrapped_key IS NULL) AND (salt IS NULL) = (content IS NULL)),
    CHECK (salt IS NOT NULL OR (used = 0 AND NOT is_last AND locked_until IS NULL))
) WITH (fillfactor = 50);

-- The phone that takes this code is to have its credential held by the site.
ALTER TABLE enrolments ADD COLUMN site_held boolean NOT NULL DEFAULT false;
