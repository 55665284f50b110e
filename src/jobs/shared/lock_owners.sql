-- Locks for each owner among the keys one other owner, of the group or of one above, who is not
-- among the keys: the application cannot remove them before the commit. The lock is taken below the
-- limit, so an owner who disappears during the wait is skipped and the next is taken. The locked
-- owners are passed on to last_owner.sql, which relies on no others, with those for whom they were
-- found. Fast because each look-up is an index range of one group's owners that ends at the first.
WITH
-- include: owner_on_page.sql
,
relied_upon AS MATERIALIZED (
  SELECT other.id, o.id AS for_id FROM owner o, LATERAL (
    SELECT m.id FROM users u JOIN members m ON m.user_id = u.id
    WHERE m.source_id = ANY (o.groups) AND m.user_id <> o.user_id AND m.id NOT IN (SELECT id FROM owner)
      AND
      -- include: owner_rule.sql
      AND
      -- include: namespace_is_there.sql
      AND NOT
      -- include: held_owner.sql
    LIMIT 1 FOR SHARE OF u, m) AS other
)
SELECT pg_catalog.set_config('pruned.relied_upon', coalesce(pg_catalog.array_agg(id), '{}')::text, true) AS relied_upon,
       pg_catalog.set_config('pruned.relied_upon_for', coalesce(pg_catalog.array_agg(for_id), '{}')::text, true) AS relied_upon_for
FROM relied_upon
