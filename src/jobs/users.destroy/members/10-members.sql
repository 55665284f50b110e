-- Deletes the memberships, if they are still the users'. Fast by primary key.
DELETE FROM members m USING pg_catalog.unnest(:key::bigint[]) AS k (id)
WHERE m.id = k.id AND m.user_id = ANY (:user::bigint[])
RETURNING m.id AS key, pg_catalog.to_jsonb(m.*) AS row
