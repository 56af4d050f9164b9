-- The number (uid) of the user's account when this box first saw it, or when the administrator confirmed it. other_uid is another
-- number that the user database answered last: then the phone is refused (docs/decisions/057-user-names.md).
ALTER TABLE devices ADD COLUMN uid INTEGER CHECK (uid BETWEEN 0 AND 4294967295);
ALTER TABLE devices ADD COLUMN other_uid INTEGER CHECK (other_uid BETWEEN 0 AND 4294967295);
