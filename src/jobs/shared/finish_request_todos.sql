-- Marks as done the todos in which a removed member asks for access to the source he leaves. Fast by (author_id).
WITH asked AS MATERIALIZED (
  SELECT t.id, to_jsonb(t) AS row
  FROM unnest(:user_id::bigint[], :source_id::bigint[], :source_type::text[]) AS k (user_id, source_id, source_type)
  JOIN todos t ON t.author_id = k.user_id AND t.action = 10 AND t.state = 'pending'
   AND CASE k.source_type WHEN 'Project' THEN t.project_id ELSE t.group_id END = k.source_id
  ORDER BY t.id FOR UPDATE OF t
)
UPDATE todos t SET state = 'done', updated_at = now()
FROM asked WHERE t.id = asked.id
RETURNING t.id AS key, asked.row
