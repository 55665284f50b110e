-- Member `m` of user `u` is an owner of a group and an active human. Both types are named so that
-- an index on (source_id, source_type, type, access_level) reaches the level.
m.source_type::text = 'Namespace' AND m.type::text IN ('GroupMember', 'ProjectMember') AND m.access_level = 50
  AND m.requested_at IS NULL AND coalesce(m.state, 0) = 0 AND u.state::text = 'active' AND u.user_type = 0
