-- What is to be released: the rows of holds whose id begins with one of `:id`, and the rows `:tab`,
-- `:key` of whatever hold, as numbers: how many rows, of how many holds (`holds`), and how many of
-- these are of restores and of `pruned hold`. `unknown`: the first of `:given` that is none.
WITH given AS (
  SELECT g.given, g.id, pruned.held_table(g.tab) AS tab, g.key, g.ord
  FROM ROWS FROM (pg_catalog.unnest(:given::text[]), pg_catalog.unnest(:id::text[]), pg_catalog.unnest(:tab::text[]), pg_catalog.unnest(:key::text[])) WITH ORDINALITY AS g (given, id, tab, key, ord)
),
chosen AS (
  SELECT g.ord, h.tab, h.key, h.hold_id, h.kind, h.job
  FROM given g JOIN pruned.holds h ON g.id IS NOT NULL AND pg_catalog.starts_with(h.hold_id::text, g.id)
  UNION ALL
  SELECT g.ord, h.tab, h.key, h.hold_id, h.kind, h.job
  FROM given g JOIN pruned.holds h ON g.id IS NULL AND h.tab = g.tab AND h.key = g.key
)
SELECT (SELECT pg_catalog.count(*) FROM (SELECT DISTINCT c.tab, c.key FROM chosen c) AS d) AS rows,
       pg_catalog.count(DISTINCT c.hold_id) AS holds,
       pg_catalog.count(DISTINCT (c.tab, c.key, c.hold_id)) FILTER (WHERE c.kind = 'restored') AS restored,
       pg_catalog.count(DISTINCT (c.tab, c.key, c.hold_id)) FILTER (WHERE c.kind = 'hold') AS held,
       pg_catalog.string_agg(DISTINCT c.job, ', ') FILTER (WHERE c.kind = 'restored') AS jobs,
       (SELECT g.given FROM given g WHERE g.ord NOT IN (SELECT c.ord FROM chosen c) ORDER BY g.ord LIMIT 1) AS unknown,
       (SELECT g.given FROM given g WHERE g.id IS NOT NULL
          AND (SELECT pg_catalog.count(DISTINCT c.hold_id) FROM chosen c WHERE c.ord = g.ord) > 1 ORDER BY g.ord LIMIT 1) AS several
FROM chosen c
