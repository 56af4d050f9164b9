-- Digits that the administrator has given the box (box.id). box_id stays what was drawn at the first start: the keys of box-held
-- credentials are derived from it.
ALTER TABLE box_identity ADD COLUMN configured_id BLOB CHECK (length(configured_id) BETWEEN 4 AND 6);
