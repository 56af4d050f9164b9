-- Phone side: how often in a row the password behind the row was sent and its outcome is not known. It grows before each send; a
-- verdict, or a new password, sets it back.
ALTER TABLE phone_boxes ADD COLUMN unknown_sends INTEGER NOT NULL DEFAULT 0;
ALTER TABLE phone_sites ADD COLUMN unknown_sends INTEGER NOT NULL DEFAULT 0;
