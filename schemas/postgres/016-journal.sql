-- Schema `pruned`, step 16: who changed what, the plans that were shown, and an index that finds a
-- row in the audit.
-- compatible_from: 15

-- What operators, and changed settings, have changed. The daemon's role adds rows and reads them;
-- only their age removes them (pruned.forget_journal).
CREATE TABLE pruned.journal (
    at      timestamptz NOT NULL DEFAULT now(),
    role    text NOT NULL,              -- of the database session
    os_user text NOT NULL,
    host    text NOT NULL,
    command text NOT NULL,              -- pause, quarantine drop, ...; start and reload of a daemon
    object  text NOT NULL,              -- a job, a run, an item, a setting, ...
    reason  text
);
CREATE INDEX journal_at ON pruned.journal (at);
CREATE INDEX journal_object ON pruned.journal (object, at);

-- The settings that the last daemon began with or reloaded, so that the next can tell what changed.
-- Secrets are masked, with a mark that changes with them.
CREATE TABLE pruned.settings (
    name  text PRIMARY KEY,
    value text NOT NULL
);

-- The last plans of each job (`pruned plan`). `lines`: {table: {action: {reason: [keys]}}}; null:
-- there were too many.
CREATE TABLE pruned.plans (
    job          text NOT NULL,
    at           timestamptz NOT NULL DEFAULT now(),
    scheduled_at timestamptz NOT NULL,
    summary      jsonb NOT NULL,
    lines        jsonb,
    PRIMARY KEY (job, at)
);

INSERT INTO pruned.keeping (what, days) VALUES ('journal', 365) ON CONFLICT DO NOTHING;

-- A daemon can raise the owner's keeping time, not lower it.
CREATE OR REPLACE FUNCTION pruned.keep_at_least(names text[], numbers integer[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO pruned.keeping AS k (what, days)
    SELECT u.what, u.days FROM ROWS FROM (pg_catalog.unnest(names), pg_catalog.unnest(numbers)) AS u (what, days)
    WHERE u.what IN ('runs_done', 'deletions', 'journal')
       OR (u.what LIKE 'deletions:_%' AND u.days > (SELECT x.days FROM pruned.keeping x WHERE x.what = 'deletions'))
    ORDER BY u.what
    ON CONFLICT (what) DO UPDATE SET days = excluded.days WHERE k.days < excluded.days
$$;

-- Deletes rows of the journal that are past their keeping time, at most a thousand in a call, and
-- says whether there may be more. Days are counted back from the newest row, or from now if that is
-- earlier.
CREATE FUNCTION pruned.forget_journal() RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH old AS MATERIALIZED (
        SELECT j.tableoid AS part, j.ctid AS place FROM pruned.journal j
        WHERE j.at < least(pg_catalog.now(), (SELECT pg_catalog.max(n.at) FROM pruned.journal n))
                     - (SELECT k.days FROM pruned.keeping k WHERE k.what = 'journal') * interval '1 day'
        ORDER BY j.at
        LIMIT 1000),
    gone AS (DELETE FROM pruned.journal j USING old o WHERE j.tableoid = o.part AND j.ctid = o.place RETURNING 1)
    SELECT pg_catalog.count(*) = 1000 FROM gone
$$;
REVOKE ALL ON FUNCTION pruned.forget_journal() FROM PUBLIC;

-- The keys of a record, and the users that its rows name (`pruned who`). New days get it when they
-- are made. Of the days that are there, small ones get it here, the others from
-- `pruned migrate --indexes`.
CREATE INDEX deletions_named ON ONLY pruned.deletions
    USING gin ((keys || coalesce(pg_catalog.jsonb_path_query_array(rows, '$[*].user_id'), '[]')) jsonb_path_ops);
DO $$
DECLARE
    part text;
BEGIN
    FOR part IN SELECT c.relname::text FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = 'pruned.deletions'::regclass AND pg_catalog.pg_table_size(c.oid) < 16 * 1024 * 1024
    LOOP
        EXECUTE pg_catalog.format('CREATE INDEX %I ON pruned.%I USING gin ((keys || coalesce(pg_catalog.jsonb_path_query_array(rows, ''$[*].user_id''), ''[]'')) jsonb_path_ops)',
                                  part || '_named', part);
        EXECUTE pg_catalog.format('ALTER INDEX pruned.deletions_named ATTACH PARTITION pruned.%I', part || '_named');
    END LOOP;
END $$;

-- Milliseconds from the transaction's start to this record: the duration of its step, up to its
-- last record. A default, so that older programs write it, too. A clock that jumps meanwhile stops
-- nothing.
ALTER TABLE pruned.deletions ADD COLUMN after_ms integer;
ALTER TABLE pruned.deletions ALTER COLUMN after_ms
    SET DEFAULT greatest(0, least(extract(epoch FROM pg_catalog.clock_timestamp() - pg_catalog.now()) * 1000, 2000000000))::integer;

-- The same as `pruned grants`.
SELECT pruned.give_daemons(ARRAY[
    'journal: SELECT, INSERT',
    'settings: SELECT, INSERT, UPDATE, DELETE',
    'plans: SELECT, INSERT, DELETE']);
DO $$
DECLARE
    member text;
BEGIN
    FOR member IN
        SELECT DISTINCT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee))
        FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) AS a
        WHERE c.oid = 'pruned.runs'::regclass AND a.privilege_type = 'UPDATE' AND a.grantee NOT IN (0, c.relowner)
    LOOP
        EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION pruned.forget_journal() TO %s', member);
    END LOOP;
END $$;
