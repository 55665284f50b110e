-- What is put back of a run is held by the group's mark, if that is there: it goes with the last
-- rows of a run, so that one that ended before its last step leaves it, and the next tick would
-- destroy the group again. Fast by primary key.
WITH run AS (
  SELECT r.args FROM pruned.runs r WHERE r.run_id = :run_id::uuid
  UNION ALL
  SELECT r.args FROM pruned.runs_done r WHERE r.run_id = :run_id::uuid
)
SELECT 'group_deletion_schedules' AS tab, s.group_id::text AS key, NULL::text AS reason
FROM run JOIN group_deletion_schedules s ON s.group_id = (run.args ->> 'group_id')::bigint
