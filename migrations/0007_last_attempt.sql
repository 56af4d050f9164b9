-- How many tries a PIN has is the administrator's to say, and no longer the schema's (pin.attempts). A row whose last try is
-- spent says so. SQLite changes a CHECK by a new table only (sqlite.org/lang_altertable.html, 7).

CREATE TABLE credentials_new (
    id            BLOB PRIMARY KEY CHECK (length(id) = 16),
    device        BLOB NOT NULL UNIQUE REFERENCES devices (id),
    salt          BLOB NOT NULL CHECK (length(salt) = 16),
    memory_kib    INTEGER NOT NULL CHECK (memory_kib >= 32768),
    passes        INTEGER NOT NULL CHECK (passes >= 3),
    wrapped_key   BLOB CHECK (length(wrapped_key) = 72),
    sealed        BLOB NOT NULL CHECK (length(sealed) = 553),
    attempts      INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    last_attempt  INTEGER NOT NULL DEFAULT 0 CHECK (last_attempt IN (0, 1)),
    lockout_boot  BLOB,
    lockout_until INTEGER,
    stale         INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1))
) STRICT, WITHOUT ROWID;
-- Until here the tenth try was the last.
INSERT INTO credentials_new
    SELECT id, device, salt, memory_kib, passes, wrapped_key, sealed, attempts, attempts = 10, lockout_boot, lockout_until,
        stale
    FROM credentials;
DROP TABLE credentials;
ALTER TABLE credentials_new RENAME TO credentials;

CREATE TABLE phone_lock_new (
    id           INTEGER PRIMARY KEY CHECK (id = 1),
    has_pin      INTEGER NOT NULL CHECK (has_pin IN (0, 1)),
    salt         BLOB NOT NULL CHECK (length(salt) = 16),
    memory_kib   INTEGER NOT NULL CHECK (memory_kib >= 32768),
    passes       INTEGER NOT NULL CHECK (passes >= 3),
    wrapped_key  BLOB CHECK (length(wrapped_key) = 72),
    attempts     INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    last_attempt INTEGER NOT NULL DEFAULT 0 CHECK (last_attempt IN (0, 1))
) STRICT;
INSERT INTO phone_lock_new
    SELECT id, has_pin, salt, memory_kib, passes, wrapped_key, attempts, attempts = 10 FROM phone_lock;
DROP TABLE phone_lock;
ALTER TABLE phone_lock_new RENAME TO phone_lock;
