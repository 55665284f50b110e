-- Deletes the todos that 35-todos.insert.sql has locked, if their users still cannot see their
-- project or group, and the todos are still theirs. Fast by primary key.
WITH
listed AS MATERIALIZED (
  SELECT t.id, t.user_id, t.project_id, CASE WHEN t.project_id IS NULL THEN t.group_id END AS group_id
  FROM (SELECT pg_catalog.unnest(pg_catalog.current_setting('pruned.hidden')::bigint[]) AS id OFFSET 0) AS l JOIN todos t ON t.id = l.id
  WHERE t.project_id IS NOT NULL OR t.group_id IS NOT NULL
),
who AS (SELECT u.id FROM unnest(:key::bigint[], :todos::bigint[]) AS k (id, seq) JOIN users u ON u.id = k.id
        WHERE k.seq IS NOT NULL AND NOT u.admin AND k.id IN (SELECT user_id FROM listed)
          AND k.id NOT IN (SELECT pg_catalog.unnest(pg_catalog.current_setting('pruned.unfinished')::bigint[]))),
held AS MATERIALIZED (SELECT l.* FROM who JOIN listed l ON l.user_id = who.id),
-- include: ../../../shared/reach.sql
,
-- include: ../../hidden.sql

DELETE FROM todos t USING hidden h WHERE t.id = h.id
RETURNING t.id AS key, pg_catalog.to_jsonb(t.*) AS row
-- then:
-- Unfinished users are requested again: the request gets another seq and stays (../../settle.sql).
again AS (
  UPDATE pruned.dirty_users d SET seq = d.seq + 1, due_at = now()
  WHERE (SELECT pg_catalog.current_setting('pruned.unfinished') <> '{}' OR pg_catalog.current_setting('pruned.todos') <> '')
    AND d.user_id = ANY (:key::bigint[])
    AND (d.user_id IN (SELECT pg_catalog.unnest(pg_catalog.current_setting('pruned.unfinished')::bigint[]))
         OR d.kind = 'todos' AND pg_catalog.cardinality(pg_catalog.current_setting('pruned.hidden')::bigint[]) >= nullif(pg_catalog.current_setting('pruned.todos'), '')::bigint)
)
