-- Something is held while rows come back, so that each step asks which (`holds` of fence.sql): the
-- run's own row. It ends with the restore, or by itself. Each restore has its own: another one of
-- the same run can be under way.
INSERT INTO pruned.holds (tab, key, hold_id, kind, reason, who, until)
VALUES ('pruned.runs', :run_id::text, pg_catalog.gen_random_uuid(), 'hold', pg_catalog.concat('pruned restore ', :run_id::text, ' is under way'),
        pg_catalog.concat(session_user, ' (', :who::text, ')'), now() + interval '1 day')
RETURNING hold_id
