-- The next schedules by id that are due, without `:over` (those that a plan has
-- done, or that a run has put off to its end), each with
-- the root of its hierarchy, or with what is wrong. Fast by primary key: it continues where the
-- step before ended, and stops at the limit.
WITH
-- include: ../shared/schedules_left.sql
SELECT s.id, s.user_id, s.namespace_id, s.scheduled_by_id, n.traversal_ids[1] AS root_id,
       CASE WHEN s.user_id IS NULL THEN 'the schedule names no user'
            WHEN n.id IS NULL THEN pg_catalog.format('namespace %s does not exist', s.namespace_id)
            WHEN n.type::text <> 'Group' THEN pg_catalog.format('namespace %s is no group, but of type %s', n.id, n.type)
            WHEN n.traversal_ids[pg_catalog.cardinality(n.traversal_ids)] IS DISTINCT FROM n.id OR n.traversal_ids[1] IS NULL
            THEN pg_catalog.format('traversal_ids %s of group %s do not lead to it', n.traversal_ids, n.id) END AS wrong,
       n.type::text <> 'Group' AS for_good
FROM schedule_left l JOIN members_deletion_schedules s ON s.id = l.id LEFT JOIN namespaces n ON n.id = s.namespace_id
WHERE s.id >= :from::bigint AND s.id NOT IN (SELECT pg_catalog.unnest(:over::bigint[]))
ORDER BY s.id
LIMIT :limit::int
