-- 1
CREATE TABLE sluice.schema (version BIGINT NOT NULL);

INSERT INTO sluice.schema (version) VALUES (0);

CREATE TABLE sluice.number (name TEXT COLLATE "C" PRIMARY KEY, value BIGINT NOT NULL) WITH (fillfactor = 50);

INSERT INTO sluice.number (name, value)
VALUES ('task', 0), ('number', 0), ('journal', 0), ('queue', 0);

CREATE TABLE sluice.store (
    identity TEXT COLLATE "C" NOT NULL,
    durability TEXT COLLATE "C" NOT NULL,
    pauses TEXT COLLATE "C" NOT NULL,
    forced_network BIGINT,
    version BIGINT NOT NULL
);

CREATE TABLE sluice.queue (
    id BIGINT PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    settings TEXT COLLATE "C" NOT NULL,
    pauses TEXT COLLATE "C" NOT NULL,
    run TEXT COLLATE "C",
    last_run_end BIGINT,
    barren_runs BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    wakes TEXT COLLATE "C"
) WITH (fillfactor = 50);

CREATE TABLE sluice.tally (
    queue BIGINT NOT NULL,
    state BIGINT NOT NULL,
    lane BIGINT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (queue, state, lane)
) WITH (fillfactor = 50);

CREATE TABLE sluice.task (
    id BIGINT PRIMARY KEY,
    queue BIGINT NOT NULL,
    state BIGINT NOT NULL,
    lane BIGINT NOT NULL,
    rank BYTEA NOT NULL,
    position BIGINT NOT NULL,
    version BIGINT NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    priority BIGINT NOT NULL,
    sort_key TEXT COLLATE "C",
    needs BIGINT NOT NULL,
    marks BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    executions BIGINT NOT NULL,
    attempt_limit BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    fresh_at BIGINT NOT NULL,
    wakes_at BIGINT,
    expires_at BIGINT,
    expiring_at BIGINT,
    timer_at BIGINT,
    timer_since BIGINT,
    moment BIGINT,
    owner BIGINT,
    token BIGINT,
    attempt BIGINT,
    group_start TEXT COLLATE "C",
    unique_key TEXT COLLATE "C",
    session TEXT COLLATE "C",
    client_string TEXT COLLATE "C",
    parent BIGINT,
    depth BIGINT NOT NULL,
    label TEXT COLLATE "C",
    last_error TEXT COLLATE "C",
    detail TEXT COLLATE "C",
    payload BYTEA
);

CREATE INDEX task_order ON sluice.task (queue, state, rank);

CREATE INDEX task_lane ON sluice.task (queue, lane, rank) WHERE state = 0;

CREATE INDEX task_ready ON sluice.task (queue, type, rank)
WHERE state = 0 AND lane = 0;

CREATE INDEX task_position ON sluice.task (queue, position);

CREATE INDEX task_wake ON sluice.task (wakes_at, id) WHERE wakes_at IS NOT NULL;

CREATE INDEX task_queue_wake ON sluice.task (queue, wakes_at, id)
WHERE wakes_at IS NOT NULL;

CREATE INDEX task_expiry ON sluice.task (expiring_at) WHERE expiring_at IS NOT NULL;

CREATE INDEX task_fresh ON sluice.task (queue, fresh_at)
WHERE state = 0 AND fresh_at > 0;

CREATE INDEX task_owner ON sluice.task (owner) WHERE owner IS NOT NULL;

CREATE INDEX task_unique ON sluice.task (queue, unique_key, type)
WHERE unique_key IS NOT NULL AND state <= 1;

CREATE INDEX task_parent ON sluice.task (parent) WHERE parent IS NOT NULL;

CREATE INDEX task_session ON sluice.task (session, state, id)
WHERE session IS NOT NULL AND marks & 4 = 0;

CREATE TABLE sluice.payload (task BIGINT PRIMARY KEY, payload BYTEA NOT NULL);

CREATE TABLE sluice.result (task BIGINT PRIMARY KEY, result BYTEA NOT NULL);

CREATE TABLE sluice.origin (origin TEXT COLLATE "C" PRIMARY KEY, task BIGINT NOT NULL);

CREATE INDEX origin_task ON sluice.origin (task);

CREATE TABLE sluice.role (
    queue BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    task BIGINT NOT NULL,
    state BIGINT NOT NULL,
    rank BYTEA NOT NULL,
    position BIGINT NOT NULL,
    is_member BIGINT NOT NULL,
    holds BIGINT NOT NULL,
    PRIMARY KEY (queue, name, task)
);

CREATE INDEX role_order ON sluice.role (queue, name, state, rank);

CREATE INDEX role_member ON sluice.role (queue, name, position)
WHERE is_member = 1 AND state = 0;

CREATE INDEX role_start ON sluice.role (queue, name, position) WHERE holds = 1;

CREATE TABLE sluice.group (
    queue BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    starts BIGINT NOT NULL,
    waiting BIGINT NOT NULL,
    running BIGINT NOT NULL,
    PRIMARY KEY (queue, name)
) WITH (fillfactor = 50);

CREATE TABLE sluice.attempt (
    task BIGINT NOT NULL,
    number BIGINT NOT NULL,
    queue TEXT COLLATE "C" NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    runner BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    outcome TEXT COLLATE "C",
    is_counted BIGINT NOT NULL,
    error TEXT COLLATE "C",
    fraction DOUBLE PRECISION,
    progress TEXT COLLATE "C",
    log TEXT COLLATE "C",
    child_pid BIGINT,
    child_start BIGINT,
    end_sequence BIGINT NOT NULL,
    consequence TEXT COLLATE "C",
    PRIMARY KEY (task, number)
);

CREATE UNIQUE INDEX attempt_end ON sluice.attempt (end_sequence)
WHERE end_sequence > 0;

CREATE INDEX attempt_queue ON sluice.attempt (queue, end_sequence)
WHERE end_sequence > 0;

CREATE INDEX attempt_time ON sluice.attempt (queue, ended_at, end_sequence)
WHERE ended_at IS NOT NULL;

CREATE TABLE sluice.event (
    sequence BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    queue TEXT COLLATE "C",
    task BIGINT,
    by TEXT COLLATE "C" NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    undo TEXT COLLATE "C",
    undone_by BIGINT,
    bulk BIGINT
);

CREATE INDEX event_queue ON sluice.event (queue, sequence) WHERE queue IS NOT NULL;

CREATE INDEX event_task ON sluice.event (task, sequence) WHERE task IS NOT NULL;

CREATE INDEX event_undo ON sluice.event (by, sequence)
WHERE undo IS NOT NULL AND undone_by IS NULL;

CREATE INDEX event_bulk ON sluice.event (bulk) WHERE bulk IS NOT NULL;

CREATE TABLE sluice.process (
    id BIGINT PRIMARY KEY,
    record TEXT COLLATE "C" NOT NULL,
    beat BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE sluice.permit (
    id BIGINT PRIMARY KEY,
    task BIGINT NOT NULL,
    version BIGINT NOT NULL,
    queue TEXT COLLATE "C" NOT NULL,
    issuer BIGINT NOT NULL,
    runner BIGINT NOT NULL
);

-- 2
ALTER TABLE sluice.queue ADD COLUMN main_type TEXT COLLATE "C";

ALTER TABLE sluice.queue ADD COLUMN is_mixed BIGINT NOT NULL DEFAULT 0;

UPDATE sluice.queue q SET main_type = (
    SELECT t.type FROM sluice.task t WHERE t.queue = q.id
    GROUP BY t.type ORDER BY count(*) DESC LIMIT 1);

UPDATE sluice.queue q SET is_mixed = 1
WHERE EXISTS (
    SELECT 1 FROM sluice.task t WHERE t.queue = q.id AND t.type <> q.main_type);

DROP INDEX sluice.task_order;

DROP INDEX sluice.task_lane;

DROP INDEX sluice.task_ready;

UPDATE sluice.task SET lane = -state WHERE state <> 0;

UPDATE sluice.task t SET lane = t.lane | 128 FROM sluice.queue q
WHERE q.id = t.queue AND t.state = 0 AND t.type <> q.main_type;

CREATE INDEX task_lane ON sluice.task (queue, lane, rank);

CREATE INDEX task_type ON sluice.task (queue, type, rank) WHERE lane = 128;

-- 3
ALTER TABLE sluice.schema ADD COLUMN oldest BIGINT NOT NULL DEFAULT 3;

-- 4
INSERT INTO sluice.number (name, value) VALUES ('scenery', 0);

-- 5
DROP INDEX sluice.attempt_time;

-- 6
INSERT INTO sluice.number (name, value) VALUES ('removed', 0);

INSERT INTO sluice.number (name, value)
SELECT 'noted', value FROM sluice.number
WHERE name = 'scenery';

ALTER TABLE sluice.queue ADD COLUMN changed BIGINT NOT NULL DEFAULT 0;

CREATE INDEX queue_changed ON sluice.queue (changed);

CREATE INDEX tally_waiting ON sluice.tally (queue) WHERE state = 0;

-- 7
INSERT INTO sluice.tally (queue, state, lane, n)
SELECT 0, 1, queue, max(position) FROM sluice.task WHERE position > 0 GROUP BY queue;

DROP INDEX sluice.task_position;

CREATE INDEX task_position ON sluice.task (queue, position)
WHERE state > 1 OR (state = 0 AND length(rank) <> 8);

-- 8
DROP INDEX sluice.tally_waiting;

ALTER TABLE sluice.tally ADD COLUMN waits BOOLEAN
GENERATED ALWAYS AS (state = 0 AND n > 0) STORED;

CREATE INDEX tally_waiting ON sluice.tally (queue) WHERE waits;

-- 9
UPDATE sluice.schema SET oldest = version + 1;

-- 10
ALTER TABLE sluice.origin ADD COLUMN key BIGINT;

CREATE TABLE sluice.known (key BIGINT PRIMARY KEY, task BIGINT NOT NULL);

-- 11
CREATE TABLE sluice.ended (
    queue BIGINT NOT NULL,
    class BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    minute BIGINT NOT NULL,
    s0 BIGINT NOT NULL, s1 BIGINT NOT NULL, s2 BIGINT NOT NULL, s3 BIGINT NOT NULL, s4 BIGINT NOT NULL, s5 BIGINT NOT NULL,
    PRIMARY KEY (queue, class, slot)
);

CREATE TABLE sluice.failure (
    queue BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    type TEXT NOT NULL,
    error TEXT NOT NULL,
    n BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (queue, kind, type)
);

-- 12
ALTER TABLE sluice.store ADD COLUMN breakpoints TEXT COLLATE "C";

-- 13
ALTER TABLE sluice.store ADD COLUMN faults TEXT COLLATE "C";

ALTER TABLE sluice.attempt ADD COLUMN injection TEXT COLLATE "C";

-- 14
ALTER TABLE sluice.store ADD COLUMN filters TEXT COLLATE "C";

-- 15
ALTER TABLE sluice.store ADD COLUMN protected BIGINT NOT NULL DEFAULT 0;

-- 16
ALTER TABLE sluice.store ADD COLUMN clock TEXT COLLATE "C";

-- 17
ALTER TABLE sluice.store ADD COLUMN checkpoints TEXT COLLATE "C";

CREATE TABLE sluice.image (
    mark BIGINT NOT NULL,
    kind BIGINT NOT NULL,
    task BIGINT NOT NULL,
    queue TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    record TEXT COLLATE "C",
    bytes BYTEA,
    PRIMARY KEY (mark, kind, task, queue)
);

-- 18
ALTER TABLE sluice.store ADD COLUMN schedules TEXT COLLATE "C";

-- 19
ALTER TABLE sluice.store ADD COLUMN recording TEXT;

CREATE TABLE sluice.tape (
    number BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    total BIGINT NOT NULL,
    body TEXT NOT NULL
);

-- 20
ALTER TABLE sluice.event ADD COLUMN script TEXT COLLATE "C";

-- 21
CREATE SEQUENCE sluice.inbox_number;

CREATE TABLE sluice.inbox (
    id BIGINT PRIMARY KEY,
    queue TEXT COLLATE "C" NOT NULL CHECK (char_length(queue) BETWEEN 1 AND 200 AND queue !~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029]'),
    type TEXT COLLATE "C" NOT NULL CHECK (char_length(type) BETWEEN 1 AND 200 AND type !~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029]'),
    payload TEXT CHECK (octet_length(payload) <= 268435456),
    payload_bytes BYTEA CHECK (octet_length(payload_bytes) <= 268435456),
    priority BIGINT,
    sort_key BIGINT,
    sort_text TEXT COLLATE "C" CHECK (octet_length(sort_text) <= 1048576),
    group_start TEXT COLLATE "C" CHECK (char_length(group_start) BETWEEN 1 AND 200 AND group_start !~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029]'),
    group_members TEXT CHECK (octet_length(group_members) <= 1048576) CHECK (jsonb_typeof(group_members::jsonb) = 'array' AND NOT jsonb_path_exists(group_members::jsonb, '$[*] ? (@.type() <> "string")')),
    not_before BIGINT CHECK (not_before BETWEEN 0 AND 253402300799999),
    attempt_limit BIGINT CHECK (attempt_limit BETWEEN 1 AND 2147483647),
    expires_at BIGINT CHECK (expires_at BETWEEN 0 AND 253402300799999),
    requires TEXT CHECK (octet_length(requires) <= 1048576) CHECK (jsonb_typeof(requires::jsonb) = 'array' AND NOT jsonb_path_exists(requires::jsonb, '$[*] ? (@.type() <> "string")')),
    required BIGINT,
    unique_key TEXT COLLATE "C" CHECK (char_length(unique_key) BETWEEN 1 AND 200 AND unique_key !~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029]'),
    unique_policy TEXT COLLATE "C" CHECK (unique_policy IN ('keep', 'replace', 'reject')),
    label TEXT CHECK (octet_length(label) <= 1048576),
    session TEXT COLLATE "C" CHECK (char_length(session) BETWEEN 1 AND 200 AND session !~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029]'),
    client_string TEXT CHECK (octet_length(client_string) <= 1048576),
    created_at BIGINT DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
        CHECK (created_at BETWEEN 0 AND 253402300799999),
    error TEXT,
    CONSTRAINT inbox_one_payload CHECK (payload IS NULL OR payload_bytes IS NULL),
    CONSTRAINT inbox_one_sort_key CHECK (sort_key IS NULL OR sort_text IS NULL)
);

CREATE TABLE sluice.removed (
    id BIGINT PRIMARY KEY,
    task BIGINT,
    queue TEXT COLLATE "C",
    type TEXT COLLATE "C",
    unique_key TEXT COLLATE "C",
    error TEXT,
    CONSTRAINT removed_names_a_task CHECK (task IS NOT NULL
        OR queue IS NOT NULL AND type IS NOT NULL AND unique_key IS NOT NULL)
);

CREATE FUNCTION sluice.number_inbox() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.id := nextval('sluice.inbox_number');
    NEW.error := NULL;
    RETURN NEW;
END
$$;

CREATE FUNCTION sluice.tell_inbox() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_notify(TG_TABLE_SCHEMA, '');
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION sluice.number_inbox(), sluice.tell_inbox() FROM PUBLIC;

CREATE INDEX inbox_fresh ON sluice.inbox (id) WHERE error IS NULL;

CREATE INDEX inbox_refused ON sluice.inbox (id) WHERE error IS NOT NULL;

CREATE TRIGGER inbox_number BEFORE INSERT ON sluice.inbox
FOR EACH ROW EXECUTE FUNCTION sluice.number_inbox();

CREATE TRIGGER inbox_tell AFTER INSERT OR UPDATE ON sluice.inbox
FOR EACH STATEMENT EXECUTE FUNCTION sluice.tell_inbox();

CREATE INDEX removed_fresh ON sluice.removed (id) WHERE error IS NULL;

CREATE INDEX removed_refused ON sluice.removed (id) WHERE error IS NOT NULL;

CREATE TRIGGER removed_number BEFORE INSERT ON sluice.removed
FOR EACH ROW EXECUTE FUNCTION sluice.number_inbox();

CREATE TRIGGER removed_tell AFTER INSERT OR UPDATE ON sluice.removed
FOR EACH STATEMENT EXECUTE FUNCTION sluice.tell_inbox();

-- 22
CREATE TABLE sluice.step (
    token BIGINT PRIMARY KEY,
    record TEXT COLLATE "C" NOT NULL
);

-- 23
ALTER TABLE sluice.queue ADD COLUMN paid_up BIGINT;

-- 24
CREATE INDEX task_used ON sluice.task (queue, unique_key, type, created_at, id)
WHERE unique_key IS NOT NULL AND state >= 2 AND state <= 3;

-- 25
ALTER TABLE sluice.queue ADD COLUMN paid_keys TEXT COLLATE "C";

-- 26
ALTER TABLE sluice.inbox ADD COLUMN headers TEXT CHECK (octet_length(headers) <= 1048576)
    CHECK (jsonb_typeof(headers::jsonb) = 'object'
        AND NOT jsonb_path_exists(headers::jsonb, '$.* ? (@.type() <> "string")'));
