-- Marks as done the todos in which a removed member asks for access to the source they leave. Fast
-- by (author_id), which OFFSET 0 enforces: a page's worth of look-ups, never the whole table.
WITH asked AS MATERIALIZED (
  SELECT t.id
  FROM unnest(:user_id::bigint[], :source_id::bigint[], :source_type::text[]) AS k (user_id, source_id, source_type),
  LATERAL (SELECT t.id FROM todos t
           WHERE t.author_id = k.user_id AND t.action = 10 AND t.state::text = 'pending'
             AND CASE k.source_type::text WHEN 'Project' THEN t.project_id ELSE t.group_id END = k.source_id
           OFFSET 0) AS t
),
was AS MATERIALIZED (
  SELECT t.id, pg_catalog.to_jsonb(t.*) AS row
  FROM todos t
  WHERE t.id IN (SELECT id FROM asked) AND t.state::text = 'pending'
  ORDER BY t.id FOR UPDATE
)
UPDATE todos t SET state = 'done', updated_at = now()
FROM was WHERE t.id = was.id
RETURNING t.id AS key, was.row
