-- Which of these rows still exist under this step's lease, or are ready again although it has not
-- ended (`again`): a trigger has set it back. `held`: somebody holds them by now (free.sql). Fast
-- by primary key.
SELECT id, pick_up_at IS DISTINCT FROM :lease::timestamptz AS again, NOT (
  -- include: free.sql
) AS held
FROM ci_deleted_objects
WHERE id = ANY (:id::bigint[]) AND (pick_up_at IS NOT DISTINCT FROM :lease::timestamptz OR pick_up_at < now() AND :lease::timestamptz > now())
