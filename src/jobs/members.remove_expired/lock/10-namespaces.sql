-- Locks the groups that have an owner on the page, and those above them; finds the users of the
-- owners who do not count. Fast because a page is a range of (expires_at, id) (its first key is the
-- newest, its last the oldest), and an index over owners has only the few of them. The days are
-- also compared alone, because the planner knows that such a range is small.
-- A user who becomes an owner after this is not protected by a lock, so no removal relies on them.
WITH edge AS (
  SELECT coalesce((SELECT expires_at FROM members WHERE id = (:key::bigint[])[1]), 'infinity') AS newest,
         coalesce((SELECT expires_at FROM members WHERE id = (:key::bigint[])[pg_catalog.cardinality(:key::bigint[])]), '-infinity') AS oldest
),
near AS MATERIALIZED (
  SELECT m.id, m.user_id, m.source_id,
         -- include: ../../shared/owner_rule.sql
         AS counts
  FROM members m JOIN users u ON u.id = m.user_id
  WHERE (m.expires_at, m.id) <= ((SELECT newest FROM edge), (:key::bigint[])[1])
    AND (m.expires_at, m.id) >= ((SELECT oldest FROM edge), (:key::bigint[])[pg_catalog.cardinality(:key::bigint[])])
    AND m.expires_at <= (SELECT newest FROM edge) AND m.expires_at >= (SELECT oldest FROM edge) AND
  -- include: ../../shared/owner_membership.sql
),
owner AS MATERIALIZED (SELECT id, source_id FROM near WHERE counts AND id = ANY (:key::bigint[])),
idle AS (SELECT user_id FROM near WHERE counts IS NOT TRUE AND id = ANY (:key::bigint[])),
further AS (SELECT NULL::bigint AS id WHERE false),
-- include: ../../shared/lock_groups.sql
