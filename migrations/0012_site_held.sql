-- Phone side: where the site holds the credential (docs/site-protocol.md, 15), what opens it there beside the PIN.
-- What the site's root says of the key to which the phone seals.
ALTER TABLE phone_sites ADD COLUMN site_key BLOB CHECK (length(site_key) = 105);
ALTER TABLE phone_sites ADD COLUMN device_secret BLOB;
-- Rises with each request that was sealed, before it leaves.
ALTER TABLE phone_sites ADD COLUMN counter INTEGER NOT NULL DEFAULT 0 CHECK (counter >= 0);
