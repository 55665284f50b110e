-- Common table expressions: through which groups users have rights. The statement has before them:
--   who (id)   the users
-- and reads after them:
--   member_of (user_id, group_id, access_level)  their own memberships of groups
--   reach (user_id, group_id, access_level)      groups that give rights to themselves and to everything below: by a
--                                                membership, or by a share with a group of which the user is a direct member
-- An access request, an invitation, a member who waits for a seat and an expired share give
-- nothing; an expired membership gives rights while it exists. Fast by members (user_id,
-- access_level), whose predicate is repeated here and which OFFSET 0 enforces: otherwise the
-- planner reads the whole table for some hundred users.
member_of AS MATERIALIZED (
  SELECT who.id AS user_id, m.source_id AS group_id, m.access_level
  FROM who CROSS JOIN LATERAL (
    SELECT m.source_id, m.access_level FROM members m
    WHERE m.user_id = who.id AND m.requested_at IS NULL AND coalesce(m.state, 0) = 0 AND m.source_type = 'Namespace' OFFSET 0) AS m
),
reach AS MATERIALIZED (
  SELECT user_id, group_id, access_level FROM member_of
  UNION ALL
  SELECT m.user_id, l.shared_group_id, least(m.access_level, l.group_access)
  FROM member_of m JOIN group_group_links l ON l.shared_with_group_id = m.group_id
  WHERE l.expires_at IS NULL OR l.expires_at > (
  -- include: as_of.sql
  AT TIME ZONE 'UTC')::date
)
