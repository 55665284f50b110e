-- Locks the groups that the user owns and the personal namespace. Fast by members (user_id,
-- access_level), whose predicate is part of the owner rule, and by namespaces (owner_id).
WITH owner AS MATERIALIZED (
  SELECT m.id, m.source_id FROM members m JOIN users u ON u.id = m.user_id
  WHERE m.user_id = :user_id::bigint AND
  -- include: ../../shared/owner_rule.sql
),
idle AS (SELECT NULL::bigint AS user_id WHERE false),
further AS (SELECT n.id FROM namespaces n WHERE n.owner_id = :user_id::bigint AND n.type::text = 'User'),
-- include: ../../shared/lock_groups.sql
