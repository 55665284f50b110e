-- Locks the groups that have an owner on the page, and those above them. Fast because each is a
-- look-up by primary key, which OFFSET 0 enforces: otherwise the planner reads all owners.
WITH owner AS MATERIALIZED (
  SELECT m.id, m.source_id
  FROM pg_catalog.unnest(:key::bigint[]) AS k (id),
  LATERAL (SELECT m.id, m.user_id, m.source_type, m.source_id, m.type, m.access_level, m.requested_at, m.state
           FROM members m WHERE m.id = k.id OFFSET 0) AS m
  JOIN users u ON u.id = m.user_id
  WHERE
  -- include: ../../shared/owner_rule.sql
),
further AS (SELECT NULL::bigint AS id WHERE false),
-- include: ../../shared/lock_groups.sql
