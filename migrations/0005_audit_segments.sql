-- Who did what: in every entry from here on. Entries without an actor are of the first format, and stay as they are.
ALTER TABLE audit ADD COLUMN actor INTEGER CHECK (actor BETWEEN 1 AND 4);
ALTER TABLE audit ADD COLUMN actor_name BLOB CHECK (length(actor_name) <= 255);
ALTER TABLE audit ADD COLUMN actor_place BLOB CHECK (length(actor_place) <= 255);
ALTER TABLE audit ADD COLUMN actor_uid INTEGER CHECK (actor_uid BETWEEN 0 AND 4294967295);

-- Closed parts of the log, each with its head signed by the box's authority. Entries from_entry to to_entry; previous is
-- the hash before the first of them, head that of the last.
CREATE TABLE audit_segments (
    number       INTEGER PRIMARY KEY CHECK (number > 0),
    from_entry   INTEGER NOT NULL CHECK (from_entry > 0),
    to_entry     INTEGER NOT NULL UNIQUE CHECK (to_entry >= from_entry),
    from_seconds INTEGER NOT NULL,
    to_seconds   INTEGER NOT NULL,
    previous     BLOB NOT NULL CHECK (length(previous) = 32),
    head         BLOB NOT NULL CHECK (length(head) = 32),
    signature    BLOB NOT NULL CHECK (length(signature) = 64)
) STRICT;

-- The last segment that the administrator dropped. sealed: entry, head and segment, so that nobody without the box
-- secret can drop the beginning of the log.
CREATE TABLE audit_base (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    segment INTEGER NOT NULL CHECK (segment > 0),
    entry   INTEGER NOT NULL CHECK (entry > 0),
    head    BLOB NOT NULL CHECK (length(head) = 32),
    sealed  BLOB NOT NULL
) STRICT;

-- Append-only, but for what stands before the base.
DROP TRIGGER audit_is_append_only_delete;
CREATE TRIGGER audit_is_append_only_delete BEFORE DELETE ON audit
WHEN OLD.number > coalesce((SELECT entry FROM audit_base), 0)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_segments_are_append_only_update BEFORE UPDATE ON audit_segments
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_segments_are_append_only_delete BEFORE DELETE ON audit_segments
WHEN OLD.to_entry > coalesce((SELECT entry FROM audit_base), 0)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
