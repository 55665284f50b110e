-- Locks the users of the owners among the keys, and for each one user who can replace them, by id,
-- so that this user stays active and human. Users of owners who do not count are locked, too: they
-- do not become active while their membership is removed. This decides nothing: lock_owners.sql
-- chooses again, after all waiting. Fast because it starts from the few owners that lock_groups.sql
-- found.
WITH
-- include: owner_on_page.sql
SELECT l.id FROM users l
WHERE l.id IN (
  SELECT o.user_id FROM owner o
  UNION ALL
  SELECT pg_catalog.unnest(pg_catalog.current_setting('pruned.idle_owners')::bigint[])
  UNION ALL
  SELECT other.user_id FROM owner o, LATERAL (
    SELECT m.user_id FROM members m JOIN users u ON u.id = m.user_id
    WHERE m.source_id = ANY (o.groups) AND m.user_id <> o.user_id AND m.id NOT IN (SELECT id FROM owner)
      AND
      -- include: owner_rule.sql
      AND
      -- include: namespace_is_there.sql
      AND NOT
      -- include: held_owner.sql
    LIMIT 1) AS other)
ORDER BY l.id FOR SHARE
