-- The directory whose people are users (docs/decisions/053-directory.md).

-- When the directory was first seen to have the user; null: never. Who was never there has not left.
ALTER TABLE users ADD COLUMN directory_seen_at timestamptz;
