-- Schema `pruned`, step 1. Everything the service keeps is here; the application's tables are never
-- altered.
CREATE SCHEMA IF NOT EXISTS pruned;

CREATE TABLE pruned.schema_version (
    version    integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- One row for each unit of work: ledger, fence, timer, lock and window at once (docs/design.md).
-- `changed_at` is in no index, not even a partial one, so that a step's advance stays a HOT update.
CREATE TABLE pruned.runs (
    run_id       uuid PRIMARY KEY,
    parent_id    uuid,
    scheduled_at timestamptz NOT NULL,
    due_at       timestamptz NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    changed_at   timestamptz NOT NULL DEFAULT now(),
    started_at   timestamptz,
    published_at timestamptz,
    finished_at  timestamptz,
    step         integer NOT NULL DEFAULT 0,
    attempts     integer NOT NULL DEFAULT 0,
    slot         integer NOT NULL DEFAULT 0,
    state        text NOT NULL CHECK (state IN ('waiting', 'ready', 'held', 'finished', 'dead', 'skipped')),
    job          text NOT NULL,
    unique_key   text,
    args         jsonb NOT NULL DEFAULT '{}',
    cursor       jsonb,
    result       jsonb,
    error        text
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX runs_waiting ON pruned.runs (due_at) WHERE state = 'waiting';
CREATE INDEX runs_ready ON pruned.runs (job, slot) WHERE state = 'ready';
CREATE INDEX runs_dead ON pruned.runs (job) WHERE state = 'dead';
CREATE UNIQUE INDEX runs_unique_key ON pruned.runs (unique_key) WHERE unique_key IS NOT NULL;
CREATE INDEX runs_parent ON pruned.runs (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX runs_finished ON pruned.runs (finished_at) WHERE finished_at IS NOT NULL;

-- The archive: ended runs older than an hour, by the day of scheduled_at.
CREATE TABLE pruned.runs_done (
    LIKE pruned.runs INCLUDING DEFAULTS,
    PRIMARY KEY (run_id, scheduled_at)
) PARTITION BY RANGE (scheduled_at);

-- The outbox: what a committed transaction must still publish; one row a transaction, keyed by its
-- first run.
CREATE TABLE pruned.unpublished (
    run_id   uuid NOT NULL,
    step     integer NOT NULL,
    messages bytea NOT NULL,
    job      text NOT NULL,
    slot     integer NOT NULL,
    at       timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, step)
);
ALTER TABLE pruned.unpublished ALTER COLUMN messages SET STORAGE EXTERNAL;

CREATE TABLE pruned.schedules (
    job      text PRIMARY KEY,
    next_at  timestamptz NOT NULL,
    schedule text NOT NULL              -- expression and zone that next_at was made from
);

-- The next offset of ticks and events, written in the transaction of the rows made from them.
CREATE TABLE pruned.intake (
    cluster_id     text NOT NULL,
    topic          text NOT NULL,
    partition      integer NOT NULL,
    next_offset    bigint NOT NULL,
    last_timestamp timestamptz,
    PRIMARY KEY (cluster_id, topic, partition)
);

CREATE TABLE pruned.suspects (
    topic     text NOT NULL,
    partition integer NOT NULL,
    "offset"  bigint NOT NULL,
    deaths    integer NOT NULL DEFAULT 0,
    at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, partition, "offset")
);

-- What was removed or changed: one row a step and table, by day.
CREATE TABLE pruned.deletions (
    run_id     uuid NOT NULL,
    step       integer NOT NULL,
    table_name text NOT NULL,
    action     text NOT NULL CHECK (action IN ('deleted', 'updated')),
    keys       jsonb NOT NULL,
    rows       jsonb,
    at         timestamptz NOT NULL DEFAULT now()
) PARTITION BY RANGE (at);
CREATE INDEX deletions_run ON pruned.deletions (run_id, step);
CREATE TABLE pruned.deletions_default PARTITION OF pruned.deletions DEFAULT;

CREATE TABLE pruned.quarantine (
    job         text NOT NULL,
    item        text NOT NULL,          -- <table>:<primary key>
    reason      text NOT NULL,
    attempts    integer NOT NULL DEFAULT 1,
    parked      boolean NOT NULL DEFAULT false,
    first_at    timestamptz NOT NULL DEFAULT now(),
    next_try_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (job, item)
);

CREATE TABLE pruned.dirty_users (
    user_id bigint NOT NULL,
    kind    text NOT NULL,              -- authorizations, todos
    due_at  timestamptz NOT NULL,
    seq     bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, kind)
);
CREATE INDEX dirty_users_due ON pruned.dirty_users (due_at, user_id, kind);

CREATE TABLE pruned.controls (
    job        text PRIMARY KEY,
    paused     boolean NOT NULL DEFAULT false,
    cap        integer,
    changed_at timestamptz NOT NULL DEFAULT now()
);

-- A verdict on a message of the dead topic (`pruned dead retry|drop`).
CREATE TABLE pruned.dead_verdicts (
    topic     text NOT NULL,
    partition integer NOT NULL,
    "offset"  bigint NOT NULL,
    verdict   text NOT NULL CHECK (verdict IN ('retried', 'dropped')),
    at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, partition, "offset")
);

-- Functions with the owner's rights create and drop partitions, so that the daemon's role needs no
-- right to create tables.
CREATE FUNCTION pruned.ensure_day(parent text, day date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE child text := parent || '_' || to_char(day, 'YYYYMMDD');
BEGIN
    IF parent NOT IN ('runs_done', 'deletions') THEN
        RAISE EXCEPTION 'pruned.%: not a table of days', parent;
    END IF;
    IF to_regclass('pruned.' || quote_ident(child)) IS NOT NULL THEN RETURN; END IF;
    PERFORM pg_advisory_xact_lock(hashtext('pruned.ensure_day'));
    EXECUTE format('CREATE TABLE IF NOT EXISTS pruned.%I PARTITION OF pruned.%I FOR VALUES FROM (%L) TO (%L)',
                   child, parent, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
END $$;

CREATE FUNCTION pruned.drop_days(parent text, before date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE child text; dropped integer := 0;
BEGIN
    IF parent NOT IN ('runs_done', 'deletions') THEN
        RAISE EXCEPTION 'pruned.%: not a table of days', parent;
    END IF;
    FOR child IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = to_regclass('pruned.' || quote_ident(parent))
          AND c.relname ~ ('^' || parent || '_\d{8}$') AND right(c.relname, 8) < to_char(before, 'YYYYMMDD')
    LOOP
        EXECUTE format('DROP TABLE pruned.%I', child);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END $$;
REVOKE ALL ON FUNCTION pruned.ensure_day(text, date), pruned.drop_days(text, date) FROM PUBLIC;
