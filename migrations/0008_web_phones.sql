-- Phones that are a page in a browser (docs/decisions/035-web-phones.md): the administrator said so when the device was enrolled.
-- The end of such a phone's link says nothing of its person.

ALTER TABLE devices ADD COLUMN web INTEGER NOT NULL DEFAULT 0 CHECK (web IN (0, 1));
