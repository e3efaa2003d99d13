-- 1
CREATE TABLE sluice_schema (version INTEGER NOT NULL) STRICT;

INSERT INTO sluice_schema (version) VALUES (0);

CREATE TABLE sluice_number (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO sluice_number (name, value)
VALUES ('task', 0), ('number', 0), ('journal', 0), ('queue', 0);

CREATE TABLE sluice_store (
    identity TEXT NOT NULL,
    durability TEXT NOT NULL,
    pauses TEXT NOT NULL,
    forced_network INTEGER,
    version INTEGER NOT NULL
) STRICT;

CREATE TABLE sluice_queue (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL,
    pauses TEXT NOT NULL,
    run TEXT,
    last_run_end INTEGER,
    barren_runs INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;

CREATE TABLE sluice_tally (
    queue INTEGER NOT NULL,
    state INTEGER NOT NULL,
    lane INTEGER NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (queue, state, lane)
) STRICT, WITHOUT ROWID;

CREATE TABLE sluice_task (
    id INTEGER PRIMARY KEY,
    queue INTEGER NOT NULL,
    state INTEGER NOT NULL,
    lane INTEGER NOT NULL,
    rank BLOB NOT NULL,
    position INTEGER NOT NULL,
    version INTEGER NOT NULL,
    type TEXT NOT NULL,
    priority INTEGER NOT NULL,
    sort_key ANY,
    needs INTEGER NOT NULL,
    marks INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    executions INTEGER NOT NULL,
    attempt_limit INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    fresh_at INTEGER NOT NULL,
    wakes_at INTEGER,
    expires_at INTEGER,
    expiring_at INTEGER,
    timer_at INTEGER,
    timer_since INTEGER,
    moment INTEGER,
    owner INTEGER,
    token INTEGER,
    attempt INTEGER,
    group_start TEXT,
    unique_key TEXT,
    session TEXT,
    client_string TEXT,
    parent INTEGER,
    depth INTEGER NOT NULL,
    label TEXT,
    last_error TEXT,
    detail TEXT,
    payload BLOB
) STRICT;

CREATE INDEX sluice_task_order ON sluice_task (queue, state, rank);

CREATE INDEX sluice_task_lane ON sluice_task (queue, lane, rank) WHERE state = 0;

CREATE INDEX sluice_task_ready ON sluice_task (queue, type, rank)
WHERE state = 0 AND lane = 0;

CREATE INDEX sluice_task_position ON sluice_task (queue, position);

CREATE INDEX sluice_task_wake ON sluice_task (wakes_at) WHERE wakes_at IS NOT NULL;

CREATE INDEX sluice_task_queue_wake ON sluice_task (queue, wakes_at)
WHERE wakes_at IS NOT NULL;

CREATE INDEX sluice_task_expiry ON sluice_task (expiring_at)
WHERE expiring_at IS NOT NULL;

CREATE INDEX sluice_task_fresh ON sluice_task (queue, fresh_at)
WHERE state = 0 AND fresh_at > 0;

CREATE INDEX sluice_task_owner ON sluice_task (owner) WHERE owner IS NOT NULL;

CREATE INDEX sluice_task_unique ON sluice_task (queue, unique_key, type)
WHERE unique_key IS NOT NULL AND state <= 1;

CREATE INDEX sluice_task_parent ON sluice_task (parent) WHERE parent IS NOT NULL;

CREATE TABLE sluice_payload (
    task INTEGER PRIMARY KEY,
    payload BLOB NOT NULL
) STRICT;

CREATE TABLE sluice_result (
    task INTEGER PRIMARY KEY,
    result BLOB NOT NULL
) STRICT;

CREATE TABLE sluice_role (
    queue INTEGER NOT NULL,
    name TEXT NOT NULL,
    task INTEGER NOT NULL,
    state INTEGER NOT NULL,
    rank BLOB NOT NULL,
    position INTEGER NOT NULL,
    is_member INTEGER NOT NULL,
    holds INTEGER NOT NULL,
    PRIMARY KEY (queue, name, task)
) STRICT, WITHOUT ROWID;

CREATE INDEX sluice_role_order ON sluice_role (queue, name, state, rank);

CREATE INDEX sluice_role_member ON sluice_role (queue, name, position)
WHERE is_member = 1 AND state = 0;

CREATE INDEX sluice_role_start ON sluice_role (queue, name, position)
WHERE holds = 1;

CREATE TABLE sluice_group (
    queue INTEGER NOT NULL,
    name TEXT NOT NULL,
    starts INTEGER NOT NULL,
    waiting INTEGER NOT NULL,
    running INTEGER NOT NULL,
    PRIMARY KEY (queue, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE sluice_attempt (
    task INTEGER NOT NULL,
    number INTEGER NOT NULL,
    queue TEXT NOT NULL,
    type TEXT NOT NULL,
    runner INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    outcome TEXT,
    is_counted INTEGER NOT NULL,
    error TEXT,
    fraction REAL,
    progress TEXT,
    log TEXT,
    child_pid INTEGER,
    child_start INTEGER,
    end_sequence INTEGER NOT NULL,
    consequence TEXT,
    PRIMARY KEY (task, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX sluice_attempt_end ON sluice_attempt (end_sequence)
WHERE end_sequence > 0;

CREATE INDEX sluice_attempt_queue ON sluice_attempt (queue, end_sequence)
WHERE end_sequence > 0;

CREATE INDEX sluice_attempt_time ON sluice_attempt (queue, ended_at, end_sequence)
WHERE ended_at IS NOT NULL;

CREATE TABLE sluice_event (
    sequence INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    queue TEXT,
    task INTEGER,
    by TEXT NOT NULL,
    text TEXT NOT NULL,
    undo TEXT,
    undone_by INTEGER
) STRICT;

CREATE INDEX sluice_event_queue ON sluice_event (queue) WHERE queue IS NOT NULL;

CREATE INDEX sluice_event_task ON sluice_event (task) WHERE task IS NOT NULL;

CREATE INDEX sluice_event_undo ON sluice_event (by)
WHERE undo IS NOT NULL AND undone_by IS NULL;

CREATE TABLE sluice_process (
    id INTEGER PRIMARY KEY,
    record TEXT NOT NULL
) STRICT;

CREATE TABLE sluice_permit (
    id INTEGER PRIMARY KEY,
    task INTEGER NOT NULL,
    version INTEGER NOT NULL,
    queue TEXT NOT NULL,
    issuer INTEGER NOT NULL,
    runner INTEGER NOT NULL
) STRICT;

-- 2
ALTER TABLE sluice_event ADD COLUMN bulk INTEGER;

CREATE INDEX sluice_event_bulk ON sluice_event (bulk) WHERE bulk IS NOT NULL;

-- 3
CREATE INDEX sluice_task_session ON sluice_task (session, state, id)
WHERE session IS NOT NULL AND marks & 4 = 0;

-- 4
ALTER TABLE sluice_queue ADD COLUMN wakes TEXT;

-- 5
CREATE TABLE sluice_inbox (
    id INTEGER PRIMARY KEY,
    queue TEXT NOT NULL,
    type TEXT NOT NULL,
    payload ANY,
    priority INTEGER,
    sort_key ANY,
    group_start TEXT,
    group_members TEXT,
    not_before INTEGER,
    attempt_limit INTEGER,
    expires_at INTEGER,
    requires TEXT,
    required INTEGER,
    unique_key TEXT,
    unique_policy TEXT,
    label TEXT,
    session TEXT,
    client_string ANY,
    created_at INTEGER
        DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)),
    error TEXT
) STRICT;

CREATE INDEX sluice_inbox_fresh ON sluice_inbox (error) WHERE error IS NULL;

CREATE INDEX sluice_inbox_refused ON sluice_inbox (queue) WHERE error IS NOT NULL;

CREATE TABLE sluice_removed (
    id INTEGER PRIMARY KEY,
    task INTEGER,
    queue TEXT,
    type TEXT,
    unique_key TEXT,
    inbox_count INTEGER,
    error TEXT
) STRICT;

CREATE INDEX sluice_removed_fresh ON sluice_removed (error) WHERE error IS NULL;

CREATE INDEX sluice_removed_refused ON sluice_removed (id) WHERE error IS NOT NULL;

CREATE TRIGGER sluice_removed_count AFTER INSERT ON sluice_removed BEGIN
    UPDATE sluice_removed
    SET inbox_count = coalesce((SELECT max(id) FROM sluice_inbox), 0)
    WHERE id = new.id;
END;

-- 6
CREATE TABLE sluice_origin (
    origin TEXT PRIMARY KEY,
    task INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sluice_origin_task ON sluice_origin (task);

-- 7
ALTER TABLE sluice_queue ADD COLUMN main_type TEXT;

ALTER TABLE sluice_queue ADD COLUMN is_mixed INTEGER NOT NULL DEFAULT 0;

UPDATE sluice_queue SET main_type = (
    SELECT type FROM sluice_task WHERE queue = sluice_queue.id
    GROUP BY type ORDER BY count(*) DESC LIMIT 1);

UPDATE sluice_queue SET is_mixed = EXISTS (
    SELECT 1 FROM sluice_task WHERE queue = sluice_queue.id AND type <> main_type);

DROP INDEX sluice_task_order;

DROP INDEX sluice_task_lane;

DROP INDEX sluice_task_ready;

UPDATE sluice_task SET lane = -state WHERE state <> 0;

UPDATE sluice_task SET lane = lane | 128
WHERE state = 0
    AND type <> (SELECT main_type FROM sluice_queue q WHERE q.id = sluice_task.queue);

CREATE INDEX sluice_task_lane ON sluice_task (queue, lane, rank);

CREATE INDEX sluice_task_type ON sluice_task (queue, type, rank) WHERE lane = 128;

-- 8
ALTER TABLE sluice_schema ADD COLUMN oldest INTEGER NOT NULL DEFAULT 8;

-- 9
CREATE TABLE sluice_offer (
    process INTEGER PRIMARY KEY,
    slots INTEGER NOT NULL,
    in_hand INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    handed TEXT NOT NULL
) STRICT;

-- 10
DROP INDEX sluice_attempt_time;

-- 11
INSERT INTO sluice_number (name, value) VALUES ('scenery', 0);

CREATE TRIGGER sluice_queue_insert AFTER INSERT ON sluice_queue BEGIN
    UPDATE sluice_number SET value = value + 1
    WHERE name = 'scenery';
END;

CREATE TRIGGER sluice_queue_update AFTER UPDATE ON sluice_queue BEGIN
    UPDATE sluice_number SET value = value + 1
    WHERE name = 'scenery';
END;

CREATE TRIGGER sluice_queue_delete AFTER DELETE ON sluice_queue BEGIN
    UPDATE sluice_number SET value = value + 1
    WHERE name = 'scenery';
END;

-- 12
INSERT INTO sluice_tally (queue, state, lane, n)
SELECT 0, 0, CASE name WHEN 'task' THEN 0 WHEN 'number' THEN 1 WHEN 'journal' THEN 2
    ELSE 3 END, value
FROM sluice_number WHERE name IN ('task', 'number', 'journal', 'queue');

DELETE FROM sluice_number WHERE name IN ('task', 'number', 'journal', 'queue');

DROP INDEX sluice_task_owner;

CREATE INDEX sluice_task_lingering ON sluice_task (owner)
WHERE owner IS NOT NULL AND lane >= 0;

ALTER TABLE sluice_attempt RENAME TO sluice_attempt_old;

DROP INDEX sluice_attempt_end;

DROP INDEX sluice_attempt_queue;

CREATE TABLE sluice_attempt (
    end_sequence INTEGER PRIMARY KEY,
    task INTEGER NOT NULL,
    number INTEGER NOT NULL,
    queue TEXT NOT NULL,
    type TEXT NOT NULL,
    runner INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    outcome TEXT,
    is_counted INTEGER NOT NULL,
    error TEXT,
    fraction REAL,
    progress TEXT,
    log TEXT,
    child_pid INTEGER,
    child_start INTEGER,
    consequence TEXT
) STRICT;

INSERT INTO sluice_attempt (
    end_sequence, task, number, queue, type, runner, started_at, ended_at, outcome,
    is_counted, error, fraction, progress, log, child_pid, child_start, consequence)
SELECT CASE WHEN end_sequence > 0 THEN end_sequence ELSE -(task << 20 | number) END,
    task, number, queue, type, runner, started_at, ended_at, outcome,
    is_counted, error, fraction, progress, log, child_pid, child_start, consequence
FROM sluice_attempt_old;

DROP TABLE sluice_attempt_old;

CREATE UNIQUE INDEX sluice_attempt_task ON sluice_attempt (task, number);

CREATE INDEX sluice_attempt_queue ON sluice_attempt (queue);

-- 13
INSERT INTO sluice_tally (queue, state, lane, n)
SELECT 0, 1, queue, max(position) FROM sluice_task WHERE position > 0 GROUP BY queue;

DROP INDEX sluice_task_position;

CREATE INDEX sluice_task_position ON sluice_task (queue, position)
WHERE state > 1 OR (state = 0 AND length(rank) <> 8);

-- 14
UPDATE sluice_schema SET oldest = version + 1;

-- 15
DELETE FROM sluice_tally WHERE queue > 0 AND n = 0;

CREATE TRIGGER sluice_tally_nothing AFTER UPDATE OF n ON sluice_tally
WHEN new.n = 0 AND new.queue > 0 BEGIN
    DELETE FROM sluice_tally
    WHERE queue = new.queue AND state = new.state AND lane = new.lane;
END;

CREATE INDEX sluice_tally_state ON sluice_tally (state, queue);

CREATE INDEX sluice_queue_busy ON sluice_queue (id)
WHERE run IS NOT NULL OR wakes IS NOT NULL;

ALTER TABLE sluice_queue ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;

UPDATE sluice_queue SET priority = json_extract(settings, '$.priority');

CREATE INDEX sluice_queue_priority ON sluice_queue (priority);

-- 16
DROP INDEX sluice_queue_priority;

CREATE INDEX sluice_queue_order ON sluice_queue (priority DESC, name);

CREATE INDEX sluice_queue_moment ON sluice_queue (id) WHERE instr(pauses, '"until":') > 0 OR instr(settings, '"mode":"batched"') > 0;

ALTER TABLE sluice_origin ADD COLUMN key INTEGER;

CREATE TABLE sluice_known (key INTEGER PRIMARY KEY, task INTEGER NOT NULL) STRICT;

-- 17
CREATE TABLE sluice_ended (
    queue INTEGER NOT NULL,
    class INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    minute INTEGER NOT NULL,
    s0 INTEGER NOT NULL,
    s1 INTEGER NOT NULL,
    s2 INTEGER NOT NULL,
    s3 INTEGER NOT NULL,
    s4 INTEGER NOT NULL,
    s5 INTEGER NOT NULL,
    PRIMARY KEY (queue, class, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE sluice_failure (
    queue INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    type TEXT NOT NULL,
    error TEXT NOT NULL,
    n INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (queue, kind, type)
) STRICT, WITHOUT ROWID;

-- 18
ALTER TABLE sluice_store ADD COLUMN breakpoints TEXT;

-- 19
ALTER TABLE sluice_store ADD COLUMN faults TEXT;

ALTER TABLE sluice_attempt ADD COLUMN injection TEXT;

-- 20
ALTER TABLE sluice_store ADD COLUMN filters TEXT;

-- 21
ALTER TABLE sluice_store ADD COLUMN protected INTEGER NOT NULL DEFAULT 0;

-- 22
ALTER TABLE sluice_store ADD COLUMN clock TEXT;

-- 23
ALTER TABLE sluice_store ADD COLUMN checkpoints TEXT;

CREATE TABLE sluice_image (
    mark INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    task INTEGER NOT NULL,
    queue TEXT NOT NULL,
    size INTEGER NOT NULL,
    record TEXT,
    bytes BLOB,
    PRIMARY KEY (mark, kind, task, queue)
) STRICT, WITHOUT ROWID;

-- 24
ALTER TABLE sluice_store ADD COLUMN schedules TEXT;

-- 25
ALTER TABLE sluice_store ADD COLUMN recording TEXT;

CREATE TABLE sluice_tape (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    total INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;

-- 26
ALTER TABLE sluice_event ADD COLUMN script TEXT;

-- 27
CREATE TABLE sluice_step (token INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT;

-- 28
ALTER TABLE sluice_queue ADD COLUMN paid_up INTEGER;

-- 29
CREATE INDEX sluice_task_used ON sluice_task (queue, unique_key, type, created_at)
WHERE unique_key IS NOT NULL AND state >= 2 AND state <= 3;

-- 30
ALTER TABLE sluice_queue ADD COLUMN paid_keys TEXT;

DROP INDEX sluice_queue_moment;

CREATE INDEX sluice_queue_moment ON sluice_queue (id)
WHERE instr(pauses, '"until":') > 0 OR instr(settings, '"mode":"batched"') > 0 OR instr(settings, '"rate":') > 0;

-- 31
ALTER TABLE sluice_inbox ADD COLUMN headers TEXT;
