-- Schema `pruned`, step 8: what operators must see. Ticks that found their job blocked, when each
-- job last succeeded, the running processes with their settings, and which older programs can work
-- with this schema.

-- The latest tick, by job and arguments, that ended `blocked`: it is retried with a growing
-- back-off until it is not blocked.
CREATE TABLE pruned.blocked (
    job          text NOT NULL,
    key          text NOT NULL,          -- md5 of the arguments
    run_id       uuid NOT NULL,
    scheduled_at timestamptz NOT NULL,
    args         jsonb NOT NULL,
    reason       text NOT NULL,
    first_at     timestamptz NOT NULL DEFAULT now(),
    at           timestamptz NOT NULL DEFAULT now(),
    tries        integer NOT NULL DEFAULT 0,
    next_try_at  timestamptz NOT NULL,
    PRIMARY KEY (job, key)
);

CREATE TABLE pruned.job_states (
    job             text PRIMARY KEY,
    known_since     timestamptz NOT NULL DEFAULT now(),
    last_success_at timestamptz
);
INSERT INTO pruned.job_states (job, last_success_at)
SELECT job, pg_catalog.max(finished_at) FROM (
    SELECT job, finished_at FROM pruned.runs WHERE state = 'finished' AND result ->> 'status' IS DISTINCT FROM 'blocked'
    UNION ALL
    SELECT job, finished_at FROM pruned.runs_done WHERE state = 'finished' AND result ->> 'status' IS DISTINCT FROM 'blocked') AS r
GROUP BY job;

-- One row for each running process, refreshed every few seconds; deleted when it ends in order.
CREATE TABLE pruned.processes (
    id         uuid PRIMARY KEY,
    host       text NOT NULL,
    pid        integer NOT NULL,
    version    text NOT NULL,
    started_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL DEFAULT now(),
    settings   text NOT NULL,            -- a hash of all of them, so that no secret is here
    jobs       jsonb NOT NULL,           -- {job: {key: value}}
    partitions integer NOT NULL DEFAULT 0
);

-- The oldest program, by the schema step it needs, that can work with this step; null: only
-- programs that know this step.
ALTER TABLE pruned.schema_version ADD COLUMN compatible_from integer;

-- Roles that may write runs may write these: a daemon must not stop because `pruned grants` was not
-- run again.
DO $$
DECLARE member text;
BEGIN
    FOR member IN
        SELECT DISTINCT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee))
        FROM pg_class c, pg_catalog.aclexplode(c.relacl) AS a
        WHERE c.oid = 'pruned.runs'::regclass AND a.privilege_type = 'UPDATE' AND a.grantee NOT IN (0, c.relowner)
    LOOP
        EXECUTE pg_catalog.format('GRANT SELECT, INSERT, UPDATE, DELETE ON pruned.blocked, pruned.job_states, pruned.processes, pruned.lost_messages TO %s', member);
    END LOOP;
END $$;
