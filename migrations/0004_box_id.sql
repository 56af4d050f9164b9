-- A box ID has four to six digits. SQLite changes a CHECK by a new table only (sqlite.org/lang_altertable.html, 7).

CREATE TABLE box_identity_new (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    box_id         BLOB NOT NULL CHECK (length(box_id) BETWEEN 4 AND 6),
    serial         INTEGER NOT NULL CHECK (serial > 0),
    static_key     BLOB NOT NULL,
    authority_seed BLOB NOT NULL
) STRICT;
INSERT INTO box_identity_new SELECT id, box_id, serial, static_key, authority_seed FROM box_identity;
DROP TABLE box_identity;
ALTER TABLE box_identity_new RENAME TO box_identity;

CREATE TABLE phone_boxes_new (
    id              BLOB PRIMARY KEY CHECK (length(id) = 16),
    box_id          BLOB NOT NULL CHECK (length(box_id) BETWEEN 4 AND 6),
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
INSERT INTO phone_boxes_new
    SELECT id, box_id, box_key, authority_key, highest_serial, user, label, mode, confirmed, device_key, device_secret,
        credential, added_at
    FROM phone_boxes;
DROP TABLE phone_boxes;
ALTER TABLE phone_boxes_new RENAME TO phone_boxes;
