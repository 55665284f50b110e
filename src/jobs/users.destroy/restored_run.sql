-- The user stays: takes back the order to delete them, from which the application would do it. It
-- is there if the run ended before its last step, or left that to the application. Fast by user_id.
WITH run AS (
  SELECT r.args FROM pruned.runs r WHERE r.run_id = :run_id::uuid
  UNION ALL
  SELECT r.args FROM pruned.runs_done r WHERE r.run_id = :run_id::uuid
),
withdrawn AS (
  DELETE FROM ghost_user_migrations g USING run
  WHERE g.user_id = (run.args ->> 'user_id')::bigint
  RETURNING g.id
)
SELECT 'ghost_user_migrations' AS tab, w.id::text AS key, 'taken back: the application would delete the user' AS reason FROM withdrawn w
