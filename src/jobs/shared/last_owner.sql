-- Which owners must stay. Common table expressions for a WITH RECURSIVE; the statement has before
-- them:
--   leaving (pos, id, user_id, group_id, groups)  owners (owner_rule.sql) to be removed, in this order; groups: own group and those above
--   gone (id)                                     members that an earlier page removed (only a plan has such)
-- and reads last_owner (id) after them.
--
-- An owner who leaves needs another user who owns the group or one above at that point of the
-- order: one who does not leave, one who leaves later, or an earlier one who had to stay; never one
-- whom `pruned restore` holds (held_owner.sql). Only the third kind depends on decisions. Such an
-- owner is always in a group further up (otherwise they would have had a later one), so the walk
-- visits only owners who have no other and can hope for one of these. A window function cannot
-- express this: whether an owner counts depends on the decision about them.
--
-- A step relies only on owners that it has locked (lock_owners.sql, and those of the page itself,
-- some of which can have to stay for another reason). They are passed on in settings of the
-- transaction, each with whom they were found for, so that these are not searched for others again.
-- A plan has no locks and relies on all owners. Fast because each look-up is an index range of one
-- group's owners that ends at the first; questions about the page itself use hash tables (NOT IN),
-- whatever size the planner assumes. A user who became an owner after the locks were taken is
-- decided on, but no removal relies on them.
standing AS MATERIALIZED (
  SELECT m.* FROM leaving m
  WHERE coalesce(m.id = ANY ((SELECT nullif(pg_catalog.current_setting('pruned.owners', true), '')::bigint[])::bigint[]), true) AND NOT
  -- include: held_owner.sql
),
leaving_group AS MATERIALIZED (
  SELECT l.pos, l.id, l.user_id, g.id AS group_id FROM leaving l, pg_catalog.unnest(l.groups) AS g (id)
),
followed AS MATERIALIZED (
  SELECT DISTINCT g.id
  FROM leaving_group g JOIN standing l ON l.group_id = g.group_id AND l.pos > g.pos AND l.user_id <> g.user_id
),
-- Those who do not leave stay until the commit: they are locked.
backed AS MATERIALIZED (
  SELECT b.id
  FROM unnest(nullif(pg_catalog.current_setting('pruned.relied_upon_for', true), '')::bigint[],
              nullif(pg_catalog.current_setting('pruned.relied_upon', true), '')::bigint[]) AS b (id, by_id)
  WHERE b.by_id NOT IN (SELECT id FROM leaving) AND b.by_id NOT IN (SELECT id FROM gone)
),
helpless AS MATERIALIZED (
  SELECT l.*
  FROM leaving l
  LEFT JOIN LATERAL (
    SELECT true AS stands FROM members m JOIN users u ON u.id = m.user_id
    WHERE m.source_id = ANY (l.groups) AND m.user_id <> l.user_id
      AND
      -- include: owner_rule.sql
      AND
      -- include: namespace_is_there.sql
      AND coalesce(m.id = ANY ((SELECT nullif(pg_catalog.current_setting('pruned.relied_upon', true), '')::bigint[]
                                       OPERATOR(pg_catalog.||) nullif(pg_catalog.current_setting('pruned.owners', true), '')::bigint[])::bigint[]), true)
      AND m.id NOT IN (SELECT id FROM leaving) AND m.id NOT IN (SELECT id FROM gone) AND NOT
      -- include: held_owner.sql
    LIMIT 1) AS other ON true
  WHERE l.id NOT IN (SELECT id FROM followed) AND l.id NOT IN (SELECT id FROM backed) AND other.stands IS NULL
),
helpless_below AS MATERIALIZED (
  SELECT h.pos, h.id, h.user_id, g.id AS group_id, g.id IN (SELECT group_id FROM helpless) AS matters
  FROM helpless h, pg_catalog.unnest(h.groups) AS g (id) WHERE g.id <> h.group_id
),
hope AS MATERIALIZED (
  SELECT row_number() OVER (ORDER BY h.pos) AS turn, h.id, pg_catalog.array_agg(before.id) AS ids
  FROM helpless_below h
  JOIN helpless before ON before.group_id = h.group_id AND before.pos < h.pos AND before.user_id <> h.user_id
  WHERE h.matters AND before.id IN (SELECT id FROM standing)
  GROUP BY h.pos, h.id
),
walk (turn, kept) AS (
  SELECT 0::bigint, ARRAY(SELECT id FROM helpless WHERE id NOT IN (SELECT id FROM hope))
  UNION ALL
  SELECT h.turn, CASE WHEN h.ids OPERATOR(pg_catalog.&&) w.kept THEN w.kept ELSE w.kept OPERATOR(pg_catalog.||) h.id END
  FROM walk w JOIN hope h ON h.turn = w.turn + 1
),
last_owner AS MATERIALIZED (
  SELECT pg_catalog.unnest(kept) AS id FROM (SELECT kept FROM walk ORDER BY turn DESC LIMIT 1) AS w
)
