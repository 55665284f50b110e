-- Finds the todos to be deleted, for users whose todos are due, and locks them, so that the next
-- file sees what the transactions have written that it waited for. It changes nothing: it passes
-- the todos on in a setting of the transaction. Administrators see everything. A step that was cut
-- takes as many as lock/30-difference.sql allows, and none of users whose authorizations are not
-- complete. Fast by todos (user_id, state).
WITH
who AS (SELECT u.id FROM unnest(:key::bigint[], :todos::bigint[]) AS k (id, seq) JOIN users u ON u.id = k.id
        WHERE k.seq IS NOT NULL AND NOT u.admin AND k.id NOT IN (SELECT pg_catalog.unnest(pg_catalog.current_setting('pruned.unfinished')::bigint[]))),
held AS MATERIALIZED (
  SELECT t.id, t.user_id, t.project_id, CASE WHEN t.project_id IS NULL THEN t.group_id END AS group_id
  FROM who JOIN todos t ON t.user_id = who.id
  WHERE t.project_id IS NOT NULL OR t.group_id IS NOT NULL
),
-- include: ../../../shared/reach.sql
,
-- include: ../../hidden.sql
,
taken AS MATERIALIZED (SELECT h.id FROM hidden h ORDER BY h.id LIMIT nullif(pg_catalog.current_setting('pruned.todos'), '')::bigint),
locked AS MATERIALIZED (SELECT t.id FROM taken h JOIN todos t ON t.id = h.id ORDER BY t.id FOR UPDATE OF t)
SELECT pg_catalog.unnest(:key::bigint[]) AS key
WHERE (SELECT pg_catalog.set_config('pruned.hidden', coalesce(pg_catalog.array_agg(l.id), '{}')::text, true) FROM locked l) IS NOT NULL
