-- When each server's changes were last stored, for `boxsite status` (docs/decisions/038-site-server.md). A row for each key of a
-- server: while a commit waits for a standby, the next write of that row waits for it, so a server leaves one session waiting.

CREATE TABLE server_writes (
    server    bytea PRIMARY KEY CHECK (length(server) = 32),
    stored_at timestamptz NOT NULL
) WITH (fillfactor = 50);
