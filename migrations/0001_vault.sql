-- The vault of a box and of a phone (DESIGN section 7). Everything secret in it is sealed: XChaCha20-Poly1305 with
-- a random nonce and table, row, column and schema version as associated data.

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Box side -----------------------------------------------------------------------------------------------------

CREATE TABLE box_identity (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    box_id         BLOB NOT NULL CHECK (length(box_id) = 4),
    serial         INTEGER NOT NULL CHECK (serial > 0),
    static_key     BLOB NOT NULL,
    authority_seed BLOB NOT NULL
) STRICT;

CREATE TABLE devices (
    id                  BLOB PRIMARY KEY CHECK (length(id) = 16),
    public_key          BLOB NOT NULL UNIQUE CHECK (length(public_key) = 32),
    user                BLOB NOT NULL CHECK (length(user) BETWEEN 1 AND 255),
    label               BLOB NOT NULL CHECK (length(label) <= 64),
    mode                INTEGER NOT NULL CHECK (mode IN (0, 1)),
    state               INTEGER NOT NULL CHECK (state IN (1, 2)),
    enrolled_at         INTEGER NOT NULL,
    last_used_at        INTEGER,
    auto_logout_seconds INTEGER,
    -- What the device stored here was destroyed; its phone hears so until it stores something anew.
    wiped               INTEGER NOT NULL DEFAULT 0 CHECK (wiped IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX devices_by_user ON devices (user);

-- One row for each device that stored a credential; nothing in it is shared with another row. wrapped_key is NULL
-- once it has been destroyed: then the row only waits for its deletion.
CREATE TABLE credentials (
    id            BLOB PRIMARY KEY CHECK (length(id) = 16),
    device        BLOB NOT NULL UNIQUE REFERENCES devices (id),
    salt          BLOB NOT NULL CHECK (length(salt) = 16),
    memory_kib    INTEGER NOT NULL CHECK (memory_kib >= 32768),
    passes        INTEGER NOT NULL CHECK (passes >= 3),
    wrapped_key   BLOB CHECK (length(wrapped_key) = 72),
    sealed        BLOB NOT NULL CHECK (length(sealed) = 553),
    attempts      INTEGER NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 10),
    lockout_boot  BLOB,
    lockout_until INTEGER,
    stale         INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1))
) STRICT, WITHOUT ROWID;

-- Deadlines on CLOCK_BOOTTIME, in nanoseconds, with the boot they belong to and the clock's time for another boot.
CREATE TABLE deadlines (
    device       BLOB NOT NULL REFERENCES devices (id),
    kind         INTEGER NOT NULL,
    boot_id      BLOB NOT NULL,
    at           INTEGER NOT NULL,
    unix_seconds INTEGER NOT NULL,
    PRIMARY KEY (device, kind)
) STRICT, WITHOUT ROWID;

-- Each entry's hash covers the entry and the hash before it.
CREATE TABLE audit (
    number INTEGER PRIMARY KEY,
    at     INTEGER NOT NULL,
    event  BLOB NOT NULL,
    user   BLOB,
    device BLOB,
    detail BLOB NOT NULL,
    hash   BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TRIGGER audit_is_append_only_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_is_append_only_delete BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- Phone side ---------------------------------------------------------------------------------------------------

CREATE TABLE phone_boxes (
    id              BLOB PRIMARY KEY CHECK (length(id) = 16),
    box_id          BLOB NOT NULL CHECK (length(box_id) = 4),
    box_key         BLOB NOT NULL CHECK (length(box_key) = 32),
    authority_key   BLOB NOT NULL CHECK (length(authority_key) = 32),
    highest_serial  INTEGER NOT NULL,
    user            BLOB NOT NULL CHECK (length(user) <= 255),
    label           BLOB NOT NULL CHECK (length(label) <= 64),
    mode            INTEGER NOT NULL CHECK (mode IN (0, 1)),
    confirmed       INTEGER NOT NULL CHECK (confirmed IN (0, 1)),
    device_key      BLOB NOT NULL,
    device_secret   BLOB,
    credential      BLOB,
    added_at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The key of the phone's credentials, wrapped under the device's own secret and, where there is one, the PIN.
CREATE TABLE phone_lock (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    has_pin     INTEGER NOT NULL CHECK (has_pin IN (0, 1)),
    salt        BLOB NOT NULL CHECK (length(salt) = 16),
    memory_kib  INTEGER NOT NULL CHECK (memory_kib >= 32768),
    passes      INTEGER NOT NULL CHECK (passes >= 3),
    wrapped_key BLOB CHECK (length(wrapped_key) = 72),
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 10)
) STRICT;
