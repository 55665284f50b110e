-- Removes rows of holds that ended a month ago, at most ten thousand. Fast by the index on until.
WITH ended AS MATERIALIZED (
  SELECT h.tab, h.key, h.hold_id FROM pruned.holds h WHERE h.until < now() - interval '30 days' ORDER BY h.until LIMIT 10000
),
gone AS (
  DELETE FROM pruned.holds h USING ended e WHERE h.tab = e.tab AND h.key = e.key AND h.hold_id = e.hold_id RETURNING h.hold_id, h.reason
)
SELECT g.hold_id, pg_catalog.count(*) AS n, pg_catalog.min(g.reason) AS reason FROM gone g GROUP BY g.hold_id ORDER BY g.hold_id
