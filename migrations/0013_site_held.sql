-- Phone side: where the site holds the credential (docs/site-protocol.md, 19), what opens it there beside the PIN.
-- The key to which the phone seals, and its number (SiteTrust's KeptSiteKey).
ALTER TABLE phone_sites ADD COLUMN site_key BLOB CHECK (length(site_key) = 40);
ALTER TABLE phone_sites ADD COLUMN device_secret BLOB;
-- Rises with each request that was sealed, before it leaves.
ALTER TABLE phone_sites ADD COLUMN counter INTEGER NOT NULL DEFAULT 0 CHECK (counter >= 0);
