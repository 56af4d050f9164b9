-- Phone side: the sites that a phone is of (docs/site-protocol.md). A row begins with the phone's key, before the site hears of
-- it; the rest comes with the grant. What stands here was verified before.
CREATE TABLE phone_sites (
    id          BLOB PRIMARY KEY CHECK (length(id) = 16),
    device_key  BLOB NOT NULL,
    public_key  BLOB NOT NULL UNIQUE CHECK (length(public_key) = 32),
    site        BLOB UNIQUE CHECK (length(site) = 16),
    document    BLOB CHECK (length(document) BETWEEN 162 AND 818),
    grant       BLOB CHECK (length(grant) BETWEEN 151 AND 228),
    -- What the site has signed to take the grant back: the phone uses the site no more, and destroys the row when it expires.
    entry       BLOB CHECK (length(entry) = 122),
    credential  BLOB,
    added_at    INTEGER NOT NULL,
    CHECK ((site IS NULL) = (document IS NULL) AND (site IS NULL) = (grant IS NULL)),
    CHECK (site IS NOT NULL OR (entry IS NULL AND credential IS NULL))
) STRICT, WITHOUT ROWID;

-- Boxes that have taken the row's grant: they are shown its hash. Later ones have higher numbers.
CREATE TABLE phone_site_boxes (
    number  INTEGER PRIMARY KEY,
    site    BLOB NOT NULL REFERENCES phone_sites (id),
    box_key BLOB NOT NULL CHECK (length(box_key) = 32),
    UNIQUE (site, box_key)
) STRICT;
