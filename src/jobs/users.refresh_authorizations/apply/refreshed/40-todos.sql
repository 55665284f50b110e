-- Deletes the todos that 35-todos.insert.sql has locked, if their users still cannot see their
-- project or group, and the todos are still theirs. What gives them a project is asked itself, not
-- only their authorizations: a membership that was committed while this step waited has none yet.
-- One that is committed after this statement has begun comes too late. Fast by primary key; what is
-- given is a hash table (NOT IN), whatever size the planner assumes.
WITH
listed AS MATERIALIZED (
  SELECT t.id, t.user_id, t.project_id, CASE WHEN t.project_id IS NULL THEN t.group_id END AS group_id
  FROM (SELECT pg_catalog.unnest(pg_catalog.current_setting('pruned.hidden')::bigint[]) AS id OFFSET 0) AS l JOIN todos t ON t.id = l.id
  WHERE t.project_id IS NOT NULL OR t.group_id IS NOT NULL
),
served AS (SELECT u.id FROM unnest(:key::bigint[], :todos::bigint[]) AS k (id, seq) JOIN users u ON u.id = k.id
           WHERE k.seq IS NOT NULL AND NOT u.admin AND k.id IN (SELECT user_id FROM listed)
             AND k.id NOT IN (SELECT pg_catalog.unnest(pg_catalog.current_setting('pruned.unfinished')::bigint[]))),
held AS MATERIALIZED (SELECT l.* FROM served s JOIN listed l ON l.user_id = s.id),
pair AS MATERIALIZED (SELECT DISTINCT user_id, project_id FROM held),
-- include: ../../given.sql
,
-- include: ../../hidden.sql

DELETE FROM todos t USING hidden h
WHERE t.id = h.id AND (h.project_id IS NULL OR (h.user_id, h.project_id) NOT IN (SELECT g.user_id, g.project_id FROM given g))
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
