-- Objects that were not ready when they went. An object is leased before it is deleted, and its row
-- goes last, so that all of them were ready before their rows went; the database's clock may have
-- been set back a little meanwhile.
SELECT g.n, pg_catalog.format('it was not ready before %s', coalesce((g.row).pick_up_at::text, 'null')) AS wrong, true AS sure
FROM pruned_gone g
WHERE ((g.row).pick_up_at < g.at + interval '1 minute') IS NOT TRUE
