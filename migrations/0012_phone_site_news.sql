-- Phone side: what boxes have told of a site. What stands here was verified before.
ALTER TABLE phone_sites ADD COLUMN head BLOB CHECK (length(head) = 137);

-- Revocations of boxes, of the generation of the site's document: these boxes are not believed any more.
CREATE TABLE phone_site_entries (
    site  BLOB NOT NULL REFERENCES phone_sites (id),
    entry BLOB NOT NULL CHECK (length(entry) = 122),
    PRIMARY KEY (site, entry)
) STRICT, WITHOUT ROWID;
