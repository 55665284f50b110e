-- Deletes the memberships, if they are still over. Fast by primary key.
DELETE FROM members m
USING unnest(:key::bigint[]) AS k (id)
WHERE m.id = k.id AND m.expires_at <=
  -- include: ../../cutoff.sql
RETURNING m.id AS key, to_jsonb(m) AS row
