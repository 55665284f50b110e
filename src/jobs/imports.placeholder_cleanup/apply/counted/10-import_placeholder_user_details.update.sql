-- Counts the attempt, if the locked detail is still due. An old event or tick sets no time back.
-- Fast by primary key, which OFFSET 0 enforces.
WITH was AS MATERIALIZED (
  SELECT d.id, d.row FROM pg_catalog.unnest(:key::bigint[]) AS k (id), LATERAL (
    SELECT d.id, pg_catalog.to_jsonb(d.*) AS row,
           -- include: ../../due_rule.sql
           AS due
    FROM import_placeholder_user_details d WHERE d.id = k.id OFFSET 0) AS d
  WHERE d.due
)
UPDATE import_placeholder_user_details d
SET deletion_attempts = d.deletion_attempts + 1, last_deletion_attempt_at = greatest(d.last_deletion_attempt_at, :scheduled_at::timestamptz), updated_at = now()
FROM was WHERE d.id = was.id
RETURNING d.id AS key, was.row
