-- Deletes the rows, if their day is still over.
DELETE FROM mad m
USING unnest(:key::bigint[]) AS k (id)
WHERE m.id = k.id AND m.day <= (:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date
RETURNING m.id AS key, to_jsonb(m) AS row
