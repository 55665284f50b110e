-- Blocks the users; one who is blocked already is left alone. Fast by primary key.
WITH was AS MATERIALIZED (
  SELECT u.id, pg_catalog.to_jsonb(u.*) AS row FROM users u
  WHERE u.id = ANY (:user_id::bigint[]) AND u.state::text IS DISTINCT FROM 'blocked' ORDER BY u.id FOR NO KEY UPDATE
)
UPDATE users u SET state = 'blocked', updated_at = now() FROM was WHERE u.id = was.id
RETURNING u.id AS key, was.row
