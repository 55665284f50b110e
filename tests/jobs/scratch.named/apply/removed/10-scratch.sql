-- Deletes the row.
DELETE FROM scratch s
USING unnest(:key::bigint[]) AS k (id)
WHERE s.id = k.id
RETURNING s.id AS key, to_jsonb(s) AS row
