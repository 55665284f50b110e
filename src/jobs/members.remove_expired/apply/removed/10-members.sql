-- Deletes the memberships, if they have still expired and are unchanged since the decision: an
-- invitation can have been accepted, or a member made an owner meanwhile. By id, the common lock
-- order. Fast because each row is read where decide has found it (its ctid). A row that has been
-- written since is elsewhere, so it is not returned, and the page is decided again with it locked.
DELETE FROM members m
USING (SELECT k.* FROM unnest(:key::bigint[], :place::tid[], :user_id::bigint[], :access_level::integer[], :asking::boolean[])
       AS k (id, place, user_id, access_level, asking) ORDER BY k.id) AS k
WHERE m.ctid = k.place AND m.id = k.id AND m.access_level = k.access_level AND m.user_id IS NOT DISTINCT FROM k.user_id
  AND (m.requested_at IS NOT NULL OR coalesce(m.state, 0) <> 0) = k.asking AND m.expires_at <=
  -- include: ../../cutoff.sql
RETURNING m.id AS key, pg_catalog.to_jsonb(m.*) AS row
