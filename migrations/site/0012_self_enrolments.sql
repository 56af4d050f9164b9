-- Enrolment codes that boxes ask for, for people who have logged in there (docs/decisions/054-self-enrolment.md). Null: an
-- administrator has made the code.
ALTER TABLE enrolments ADD COLUMN box bigint REFERENCES boxes;
-- The key of the phone that goes for the new one: X25519.
ALTER TABLE enrolments ADD COLUMN replaces bytea CHECK (octet_length(replaces) = 32);
ALTER TABLE enrolments ADD COLUMN began_at timestamptz;
ALTER TABLE enrolments ADD CHECK ((box IS NULL) = (began_at IS NULL) AND (box IS NOT NULL OR replaces IS NULL));
CREATE INDEX enrolments_of_boxes ON enrolments (began_at) WHERE box IS NOT NULL;
