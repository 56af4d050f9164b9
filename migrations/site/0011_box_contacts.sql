-- When each box was linked last to some server, to the hour (docs/decisions/052-site-monitoring.md). What a box says of itself is a
-- claim. A table of its own: rows of boxes are read by each server whenever they change.

CREATE TABLE box_contacts (
    box     bigint PRIMARY KEY REFERENCES boxes,
    seen_at timestamptz NOT NULL,
    -- As the box says it: boxagentd 2.0.0.
    program text NOT NULL CHECK (program ~ '^[ -~]{0,32}$')
) WITH (fillfactor = 50);

-- Nobody knows when those were here last that have joined before.
INSERT INTO box_contacts (box, seen_at, program) SELECT id, now(), '' FROM boxes WHERE state IN ('joined', 'suspended');

CREATE INDEX phone_credentials_wiped ON phone_credentials (wiped_at) WHERE wiped_at IS NOT NULL;
