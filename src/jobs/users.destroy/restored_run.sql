-- The user stays: takes back the order to delete them that this run gave, from which the
-- application would do it. It is there if the run ended before its last step, or left that to the
-- application. An older order is the application's own, a younger one that of another run. Not if
-- only one row is put back (`whole`). Fast by user_id.
WITH run AS (
  SELECT r.args, r.started_at, r.finished_at FROM pruned.runs r WHERE r.run_id = :run_id::uuid
  UNION ALL
  SELECT r.args, r.started_at, r.finished_at FROM pruned.runs_done r WHERE r.run_id = :run_id::uuid
),
withdrawn AS (
  DELETE FROM ghost_user_migrations g USING run
  WHERE :whole::boolean AND g.user_id = (run.args ->> 'user_id')::bigint
    AND g.created_at >= run.started_at AND g.created_at <= run.finished_at
  RETURNING g.id
)
SELECT 'ghost_user_migrations' AS tab, w.id::text AS key, 'taken back: the application would delete the user' AS reason FROM withdrawn w
