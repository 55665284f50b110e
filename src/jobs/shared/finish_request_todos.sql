-- Marks as done the todos in which a removed member asks for access to the source they leave. Fast
-- by (author_id), which OFFSET 0 enforces: a page's worth of look-ups, never the whole table. A
-- todo that names something else once it is locked stays.
WITH asked AS MATERIALIZED (
  SELECT DISTINCT t.id, t.author_id, t.action, t.project_id, t.group_id
  FROM unnest(:user_id::bigint[], :source_id::bigint[], :source_type::text[]) AS k (user_id, source_id, source_type),
  LATERAL (SELECT t.id, t.author_id, t.action, t.project_id, t.group_id FROM todos t
           WHERE t.author_id = k.user_id AND t.action = 10 AND t.state::text = 'pending'
             AND CASE k.source_type::text WHEN 'Project' THEN t.project_id ELSE t.group_id END = k.source_id
           OFFSET 0) AS t
),
was AS MATERIALIZED (
  SELECT t.id, pg_catalog.to_jsonb(t.*) AS row
  FROM asked a JOIN todos t ON t.id = a.id
  WHERE t.state::text = 'pending' AND t.author_id = a.author_id AND t.action = a.action
    AND t.project_id IS NOT DISTINCT FROM a.project_id AND t.group_id IS NOT DISTINCT FROM a.group_id
  ORDER BY t.id FOR UPDATE OF t
)
UPDATE todos t SET state = 'done', updated_at = now()
FROM was WHERE t.id = was.id
RETURNING t.id AS key, was.row
