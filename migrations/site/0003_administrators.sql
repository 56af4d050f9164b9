-- Who administers the site, and what waits for a second one of them (docs/decisions/045-administrators.md). Nothing here is secret.

CREATE TABLE administrators (
    -- 0 is nobody's: it stands for root of a server's machine.
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 64),
    role       text NOT NULL CHECK (role IN ('viewer', 'ward', 'helpdesk', 'administrator', 'root-keeper')),
    -- Of an administrator of a ward: 2 bytes for each, ascending.
    groups     bytea CHECK (octet_length(groups) BETWEEN 2 AND 16),
    -- On the machines of the servers.
    account    text CHECK (octet_length(account) BETWEEN 1 AND 64),
    state      text NOT NULL CHECK (state IN ('active', 'removed')),
    added_at   timestamptz NOT NULL DEFAULT now(),
    removed_at timestamptz,
    CHECK ((role = 'ward') = (groups IS NOT NULL))
);
CREATE UNIQUE INDEX administrators_name ON administrators (name) WHERE state = 'active';
CREATE UNIQUE INDEX administrators_account ON administrators (account) WHERE state = 'active';

CREATE TABLE proposals (
    id         bytea PRIMARY KEY CHECK (octet_length(id) = 5),
    -- Rows of administrators, or 0.
    proposer   bigint NOT NULL,
    kind       text NOT NULL,
    -- A row's number in 8 bytes, a phone's key in 32, a user's id in 16; empty for what is to be made.
    subject    bytea NOT NULL CHECK (octet_length(subject) IN (0, 8, 16, 32)),
    again      boolean NOT NULL,
    -- As people know it, and why.
    shown      text NOT NULL CHECK (octet_length(shown) <= 512),
    reason     text NOT NULL CHECK (octet_length(reason) <= 200),
    -- What an administrator is to be.
    name       text,
    role       text,
    groups     bytea,
    account    text,
    made_at    timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    state      text NOT NULL CHECK (state IN ('waiting', 'approved', 'rejected')),
    decided_by bigint,
    CHECK ((state = 'waiting') = (decided_by IS NULL))
);
CREATE INDEX proposals_proposer ON proposals (proposer);

-- How many were taken back by whom, for as long as it counts.
CREATE TABLE revocation_tallies (
    administrator bigint NOT NULL,
    at            timestamptz NOT NULL,
    count         bigint NOT NULL CHECK (count > 0)
);
CREATE INDEX revocation_tallies_administrator ON revocation_tallies (administrator, at);
