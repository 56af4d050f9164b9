-- New site documents (docs/decisions/042-keys-of-a-site.md).

-- The version of the newest one: whoever has taken the row of site_state knows by which document to sign.
ALTER TABLE site_state ADD COLUMN document bigint NOT NULL DEFAULT 0;
UPDATE site_state SET document = (SELECT max(version) FROM site_documents);
ALTER TABLE site_state ADD CHECK (document > 0);

-- Brought by a box. Where its issuer is dropped, nobody knows whether the site or a thief has signed it.
ALTER TABLE revocations ADD COLUMN of_box boolean NOT NULL DEFAULT false;
