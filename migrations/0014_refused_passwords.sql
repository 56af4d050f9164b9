-- Phone side: when the password that stands behind the row was last refused, in seconds since 1970. It is not sent again without a
-- question; a new password, or one that is accepted, clears it.
ALTER TABLE phone_boxes ADD COLUMN refused_at INTEGER;
ALTER TABLE phone_sites ADD COLUMN refused_at INTEGER;
