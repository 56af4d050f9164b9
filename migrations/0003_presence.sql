-- Thresholds that a phone measured for itself (docs/proximity.md), in dBm. A device without a row has the
-- administrator's.
CREATE TABLE presence_thresholds (
    device   BLOB PRIMARY KEY REFERENCES devices (id),
    near_dbm INTEGER NOT NULL CHECK (near_dbm BETWEEN -127 AND 0),
    far_dbm  INTEGER NOT NULL CHECK (far_dbm BETWEEN -127 AND 0)
) STRICT, WITHOUT ROWID;

-- Devices whose phone has reported its signal since it came or its session began: their absence counts, also for an
-- agent that starts in between.
CREATE TABLE presence_watched (
    device BLOB PRIMARY KEY REFERENCES devices (id)
) STRICT, WITHOUT ROWID;
