-- A group whose deletion the user has asked for and may still ask for: without the user it would
-- not be deleted. Marks of the run's day or earlier, so that further ones postpone nothing. Fast
-- because a user has few marks.
WITH page AS MATERIALIZED (
  SELECT n.id AS key, n.traversal_ids, s.user_id, s.marked_for_deletion_on
  FROM group_deletion_schedules s JOIN namespaces n ON n.id = s.group_id AND n.type::text = 'Group'
  WHERE s.user_id = :user_id::bigint AND s.marked_for_deletion_on <= (:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date
),
asked AS (SELECT key AS ask, user_id AS actor_id, traversal_ids AS groups, NULL::bigint AS project_id FROM page),
gone AS (SELECT NULL::bigint AS id WHERE false),
-- include: ../shared/rights.sql
,
-- include: ../shared/begun.sql
SELECT p.key AS group_id
FROM page p JOIN rights r ON r.ask = p.key LEFT JOIN begun b ON b.key = p.key
WHERE r.level = 50 OR b.spent
ORDER BY p.key LIMIT 1
