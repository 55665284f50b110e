-- Deletes todos of projects and groups that their users cannot see, for users whose todos are due.
-- Visible are projects and groups that are not private, projects with an authorization, groups that
-- give rights or lie above or below one that does, and groups with such a project below.
-- Administrators see everything.
-- A step that was cut takes as many as lock/30-difference.sql allows, and none of users whose
-- authorizations are not complete. Fast by todos (user_id, state); the target of a todo is looked
-- up by primary key.
WITH
who AS (SELECT u.id FROM unnest(:key::bigint[], :todos::bigint[]) AS k (id, seq) JOIN users u ON u.id = k.id
        WHERE k.seq IS NOT NULL AND NOT u.admin AND k.id NOT IN (SELECT pg_catalog.unnest(pg_catalog.current_setting('pruned.unfinished')::bigint[]))),
-- include: ../../../shared/reach.sql
,
held AS MATERIALIZED (
  SELECT t.id, t.user_id, t.project_id, CASE WHEN t.project_id IS NULL THEN t.group_id END AS group_id
  FROM who JOIN todos t ON t.user_id = who.id
  WHERE t.project_id IS NOT NULL OR t.group_id IS NOT NULL
),
seen_group AS MATERIALIZED (
  SELECT h.user_id, h.group_id
  FROM (SELECT DISTINCT user_id, group_id FROM held WHERE group_id IS NOT NULL) AS h
  CROSS JOIN LATERAL (SELECT n.id, n.visibility_level, n.traversal_ids FROM namespaces n WHERE n.id = h.group_id OFFSET 0) AS n
  WHERE n.visibility_level > 0
     OR EXISTS (SELECT FROM reach r LEFT JOIN namespaces g ON g.id = r.group_id
                WHERE r.user_id = h.user_id
                  AND (r.group_id = n.id OR r.group_id = ANY (n.traversal_ids) OR n.id = ANY (g.traversal_ids)))
     OR EXISTS (SELECT FROM project_authorizations a JOIN projects p ON p.id = a.project_id
                JOIN namespaces g ON g.id = p.namespace_id
                WHERE a.user_id = h.user_id AND (g.id = n.id OR n.id = ANY (g.traversal_ids)))
),
hidden AS MATERIALIZED (
  SELECT h.id FROM held h
  WHERE CASE WHEN h.group_id IS NOT NULL
    THEN NOT EXISTS (SELECT FROM seen_group s WHERE s.user_id = h.user_id AND s.group_id = h.group_id)
    ELSE (SELECT p.visibility_level > 0 FROM projects p WHERE p.id = h.project_id) IS NOT TRUE
     AND NOT EXISTS (SELECT FROM project_authorizations a WHERE a.user_id = h.user_id AND a.project_id = h.project_id) END
  ORDER BY h.id LIMIT nullif(pg_catalog.current_setting('pruned.todos'), '')::bigint
)
DELETE FROM todos t USING hidden h WHERE t.id = h.id
RETURNING t.id AS key, pg_catalog.to_jsonb(t.*) AS row
-- then:
-- Unfinished users are requested again: the request gets another seq and stays (../../settle.sql).
again AS (
  UPDATE pruned.dirty_users d SET seq = d.seq + 1, due_at = now()
  WHERE (SELECT pg_catalog.current_setting('pruned.unfinished') <> '{}' OR pg_catalog.current_setting('pruned.todos') <> '')
    AND d.user_id = ANY (:key::bigint[])
    AND (d.user_id IN (SELECT pg_catalog.unnest(pg_catalog.current_setting('pruned.unfinished')::bigint[]))
         OR d.kind = 'todos' AND (SELECT count(*) FROM applied) >= nullif(pg_catalog.current_setting('pruned.todos'), '')::bigint)
)
