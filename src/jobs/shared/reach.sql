-- Common table expressions: through which groups users have rights. The statement has before them:
--   who (id)   the users
-- and reads after them:
--   membership (user_id, of_group, source_id, access_level)     their own memberships
--   reach (user_id, group_id, access_level)                     groups that give rights to themselves and to everything below:
--                                                               by a membership, or by a share with a group of which the
--                                                               user is a direct member
-- An access request, an invitation, a member who waits for a seat and an expired share give
-- nothing, and neither does what is left of a group that is gone; an expired membership gives
-- rights while it exists. Fast by members (user_id, access_level), whose predicate is repeated here
-- and which OFFSET 0 enforces: otherwise the planner reads the whole table for some hundred users.
-- They are read once for both kinds of sources. Groups are looked up by primary key.
membership AS MATERIALIZED (
  SELECT who.id AS user_id, m.of_group, m.source_id, m.access_level
  FROM who CROSS JOIN LATERAL (
    SELECT m.source_type::text = 'Namespace' AS of_group, m.source_id, m.access_level FROM members m
    WHERE m.user_id = who.id AND m.requested_at IS NULL AND coalesce(m.state, 0) = 0 AND m.source_type::text IN ('Namespace', 'Project')
      AND CASE m.source_type::text WHEN 'Namespace' THEN
        -- include: namespace_is_there.sql
        ELSE true END
    OFFSET 0) AS m
),
reach AS MATERIALIZED (
  SELECT user_id, source_id AS group_id, access_level FROM membership WHERE of_group
  UNION ALL
  SELECT m.user_id, l.shared_group_id, least(m.access_level, l.group_access)
  FROM membership m CROSS JOIN LATERAL (
    SELECT l.shared_group_id, l.group_access, l.expires_at FROM group_group_links l
    WHERE l.shared_with_group_id = m.source_id AND EXISTS (SELECT FROM namespaces n WHERE n.id = l.shared_group_id OFFSET 0)
    OFFSET 0) AS l
  WHERE m.of_group AND (l.expires_at IS NULL OR l.expires_at > (
  -- include: as_of.sql
  AT TIME ZONE 'UTC')::date)
)
