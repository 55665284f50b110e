-- The three commonest days since which objects are ready, among the oldest. Fast because the index
-- on pick_up_at is read from its beginning, up to the limit.
SELECT r.pick_up_at::date::text AS value, count(*) AS rows
FROM (SELECT o.pick_up_at FROM ci_deleted_objects o WHERE o.pick_up_at < now() ORDER BY o.pick_up_at LIMIT :limit::bigint) AS r
GROUP BY r.pick_up_at::date ORDER BY count(*) DESC, r.pick_up_at::date LIMIT 3
