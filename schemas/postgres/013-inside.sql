-- Schema `pruned`, step 13: the bounds of runs hold for all rows, also older ones; a daemon's role
-- has the rights that `pruned grants` prints and no more.
-- compatible_from: 11

-- A time whose microseconds overflow is treated like an infinite one.
ALTER TABLE pruned.runs DROP CONSTRAINT IF EXISTS runs_bounds;
UPDATE pruned.runs r
SET -- 'epoch': a retry finds nothing to remove
    scheduled_at = CASE WHEN w.scheduled IS NULL THEN r.scheduled_at ELSE 'epoch' END,
    due_at = CASE WHEN w.due IS NULL THEN r.due_at ELSE 'epoch' END,
    step = least(greatest(r.step, 0), 2000000000), attempts = least(greatest(r.attempts, 0), 2000000000), slot = greatest(r.slot, 0),
    state = CASE WHEN r.finished_at IS NULL THEN 'dead' ELSE r.state END,
    error = CASE WHEN r.finished_at IS NULL THEN 'the run''s row: ' || pg_catalog.concat_ws(', ', w.scheduled, w.due, w.number) ELSE r.error END,
    unique_key = CASE WHEN r.finished_at IS NULL THEN NULL ELSE r.unique_key END,
    finished_at = coalesce(r.finished_at, pg_catalog.clock_timestamp()), changed_at = pg_catalog.clock_timestamp()
FROM pruned.runs b
CROSS JOIN LATERAL (SELECT
    CASE WHEN NOT (b.scheduled_at > '-infinity' AND b.scheduled_at < '200000-01-01 00:00:00+00') THEN 'scheduled_at was ' || b.scheduled_at::text END AS scheduled,
    CASE WHEN NOT (b.due_at > '-infinity' AND b.due_at < '200000-01-01 00:00:00+00') THEN 'due_at was ' || b.due_at::text END AS due,
    CASE WHEN b.step NOT BETWEEN 0 AND 2000000000 THEN 'step was ' || b.step::text
         WHEN b.attempts NOT BETWEEN 0 AND 2000000000 THEN 'attempts was ' || b.attempts::text
         WHEN b.slot < 0 THEN 'slot was ' || b.slot::text END AS number) AS w
WHERE b.run_id = r.run_id AND (w.scheduled IS NOT NULL OR w.due IS NOT NULL OR w.number IS NOT NULL);
ALTER TABLE pruned.runs ADD CONSTRAINT runs_bounds CHECK (
    scheduled_at > '-infinity' AND scheduled_at < '200000-01-01 00:00:00+00' AND due_at > '-infinity' AND due_at < '200000-01-01 00:00:00+00'
    AND step BETWEEN 0 AND 2000000000 AND attempts BETWEEN 0 AND 2000000000 AND slot >= 0
);

-- Roles that may write runs are daemons. Only this function grants them rights and revokes the
-- rest: TABLES, each with its rights, as `name: rights`.
CREATE OR REPLACE FUNCTION pruned.give_daemons(tables text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    member text;
    given  text;
    name   text;
BEGIN
    FOR member IN
        SELECT DISTINCT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee))
        FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) AS a
        WHERE c.oid = 'pruned.runs'::regclass AND a.privilege_type = 'UPDATE' AND a.grantee NOT IN (0, c.relowner)
    LOOP
        FOREACH given IN ARRAY tables LOOP
            name := pg_catalog.split_part(given, ':', 1);
            EXECUTE pg_catalog.format('REVOKE ALL ON pruned.%I FROM %s', name, member);
            EXECUTE pg_catalog.format('GRANT %s ON pruned.%I TO %s', pg_catalog.split_part(given, ':', 2), name, member);
        END LOOP;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION pruned.give_daemons(text[]) FROM PUBLIC;

-- The same as `pruned grants`.
SELECT pruned.give_daemons(ARRAY[
    'schema_version: SELECT',
    'unpublished: SELECT, INSERT, DELETE',
    'schedules: SELECT, INSERT, UPDATE, DELETE',
    'intake: SELECT, INSERT, UPDATE',
    'suspects: SELECT, INSERT, UPDATE, DELETE',
    'deletions: SELECT, INSERT',
    'keeping: SELECT',
    'quarantine: SELECT, INSERT, UPDATE, DELETE',
    'dirty_users: SELECT, INSERT, UPDATE, DELETE',
    'controls: SELECT, INSERT, UPDATE',
    'dead_verdicts: SELECT, INSERT, UPDATE, DELETE',
    'timers: SELECT, INSERT, UPDATE, DELETE',
    'lost_messages: SELECT, INSERT, UPDATE',
    'event_ids: SELECT, INSERT, DELETE',
    'blocked: SELECT, INSERT, UPDATE, DELETE',
    'job_states: SELECT, INSERT, UPDATE',
    'processes: SELECT, INSERT, UPDATE, DELETE',
    'runs_done: SELECT, INSERT, UPDATE, DELETE',
    'runs: SELECT, INSERT, UPDATE, DELETE']);
