-- Locks the groups that have an owner on the page, and those above them. Fast because it is a look-up by primary key each.
WITH owner AS MATERIALIZED (
  SELECT m.id, m.source_id
  FROM unnest(:key::bigint[]) AS k (id) JOIN members m ON m.id = k.id JOIN users u ON u.id = m.user_id
  WHERE
  -- include: ../../shared/owner_rule.sql
),
further AS (SELECT NULL::bigint AS id WHERE false),
-- include: ../../shared/lock_groups.sql
