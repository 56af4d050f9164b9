-- Logind sessions that phones' logins opened: whose they are outlives the agent.

CREATE TABLE sessions (
    logind_id           BLOB PRIMARY KEY CHECK (length(logind_id) BETWEEN 1 AND 64),
    device              BLOB NOT NULL REFERENCES devices (id),
    user                BLOB NOT NULL CHECK (length(user) BETWEEN 1 AND 255),
    terminal            BLOB,
    -- An id names one session of one boot together with when logind opened it, in microseconds of CLOCK_MONOTONIC.
    boot_id             BLOB NOT NULL,
    opened_microseconds INTEGER NOT NULL,
    -- CLOCK_BOOTTIME, in nanoseconds.
    opened_at           INTEGER NOT NULL,
    -- How often the person has put off the end that a limit sets.
    extensions          INTEGER NOT NULL DEFAULT 0 CHECK (extensions >= 0)
) STRICT, WITHOUT ROWID;
