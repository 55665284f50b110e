-- Deletes the rows, if their day is still over.
DELETE FROM scratch s
USING unnest(:key::bigint[]) AS k (id)
WHERE s.id = k.id AND s.day <= (:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date
RETURNING s.id AS key, to_jsonb(s) AS row
