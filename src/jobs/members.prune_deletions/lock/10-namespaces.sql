-- Locks the groups that have an owner on the page, and those above them; finds the users of the
-- owners who do not count. Fast because each is a look-up by primary key, which OFFSET 0 enforces:
-- otherwise the planner reads all owners.
WITH near AS MATERIALIZED (
  SELECT m.id, m.user_id, m.source_id,
         -- include: ../../shared/owner_rule.sql
         AS counts
  FROM pg_catalog.unnest(:key::bigint[]) AS k (id),
  LATERAL (SELECT m.id, m.user_id, m.source_type, m.source_id, m.type, m.access_level, m.requested_at, m.state
           FROM members m WHERE m.id = k.id OFFSET 0) AS m
  JOIN users u ON u.id = m.user_id
  WHERE
  -- include: ../../shared/owner_membership.sql
),
owner AS MATERIALIZED (SELECT id, source_id FROM near WHERE counts),
idle AS (SELECT user_id FROM near WHERE counts IS NOT TRUE),
further AS (SELECT NULL::bigint AS id WHERE false),
-- include: ../../shared/lock_groups.sql
