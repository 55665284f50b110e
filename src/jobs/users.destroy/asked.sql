-- A group that the user has marked and may delete, and whose deletion has begun: without the user
-- it would stop half-way. A step that fails clears `deleted_at` until the next try, so the run is
-- asked too. Fast because a user has few marks, and by the unique key of unfinished runs.
WITH page AS MATERIALIZED (
  SELECT n.id AS key, n.traversal_ids, s.user_id, s.marked_for_deletion_on, d.deleted_at
  FROM group_deletion_schedules s JOIN namespaces n ON n.id = s.group_id AND n.type::text = 'Group'
  LEFT JOIN namespace_details d ON d.namespace_id = n.id
  WHERE s.user_id = :user_id::bigint
),
asked AS (SELECT key AS ask, user_id AS actor_id, traversal_ids AS groups, NULL::bigint AS project_id FROM page),
gone AS (SELECT NULL::bigint AS id WHERE false),
-- include: ../shared/rights.sql
,
-- include: ../shared/begun.sql
SELECT p.key AS group_id
FROM page p JOIN rights r ON r.ask = p.key LEFT JOIN begun b ON b.key = p.key
WHERE b.spent
   OR (r.level = 50
       AND (p.deleted_at IS NOT NULL
            OR EXISTS (SELECT FROM pruned.runs d WHERE d.unique_key = 'groups.destroy:' || p.key::text AND d.cursor -> 'stage' IS NOT NULL)))
ORDER BY p.key LIMIT 1
