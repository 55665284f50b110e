-- The holds, the newest first: all rows of one `pruned hold`, or of a restored run. `state`:
-- `ended` if its time has passed. By the index of holds.
SELECT h.hold_id, h.kind, pg_catalog.string_agg(DISTINCT h.tab, ', ' ORDER BY h.tab) AS tables, pg_catalog.count(*) AS rows,
       CASE WHEN pg_catalog.max(h.until) <= now() THEN 'ended' ELSE 'holds' END AS state,
       pg_catalog.max(h.until) AS until, pg_catalog.min(h.at) AS at, pg_catalog.min(h.who) AS who, pg_catalog.min(h.job) AS job, pg_catalog.min(h.reason) AS reason
FROM pruned.holds h
GROUP BY h.hold_id, h.kind
ORDER BY at DESC, h.hold_id
