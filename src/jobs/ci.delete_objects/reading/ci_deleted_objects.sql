-- Objects that carried no lease when they went: `pick_up_at` is then at most `lease_ms` ahead. When
-- they were to be picked up before that, the audit does not have.
SELECT g.n, 'it had no lease of this time' AS wrong, true AS sure
FROM pruned_gone g
WHERE ((g.row).pick_up_at <= g.at + (:setting.lease_ms::bigint + 60000) * interval '1 millisecond') IS NOT TRUE
