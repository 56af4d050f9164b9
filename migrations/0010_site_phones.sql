-- Phones of the box's site that a grant has let in (docs/site-protocol.md, 11): devices as others are, whose grant is kept. What the
-- site or the administrator has taken back, and owns a session, stays as a revoked device without a grant until the session is over.
ALTER TABLE devices ADD COLUMN site INTEGER NOT NULL DEFAULT 0 CHECK (site IN (0, 1));

CREATE TABLE site_phones (
    device  BLOB PRIMARY KEY REFERENCES devices (id),
    -- The public key of the issuer that signed the grant (32), then the grant.
    kept    BLOB NOT NULL CHECK (length(kept) BETWEEN 183 AND 260),
    -- When the grant was written down.
    came_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Keys of site phones that the box's own administrator has revoked: no grant brings them back here.
CREATE TABLE site_barred (
    public_key BLOB PRIMARY KEY CHECK (length(public_key) = 32)
) STRICT, WITHOUT ROWID;

-- The box's number in its site, which is its box ID as long as it belongs to the site.
ALTER TABLE box_identity ADD COLUMN site_id BLOB CHECK (length(site_id) = 6);
