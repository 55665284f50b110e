-- Member `m` is an owner of a group, whoever the user is. Both types are named so that an index on
-- (source_id, source_type, type, access_level) reaches the level.
m.source_type::text = 'Namespace' AND m.type::text IN ('GroupMember', 'ProjectMember') AND m.access_level = 50
  AND m.requested_at IS NULL AND coalesce(m.state, 0) = 0
