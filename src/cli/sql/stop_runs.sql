-- The runs whose step processes still have under way. A range numbers its steps from its own number
-- times `:range_steps`.
SELECT coalesce(r.range_of, r.run_id) AS run_id, r.job, r.step % :range_steps::int AS step
FROM pruned.processes p CROSS JOIN LATERAL pg_catalog.unnest(p.running) AS u (run_id) JOIN pruned.runs r ON r.run_id = u.run_id
WHERE p.stopped_at = :since::timestamptz AND p.seen_at > now() - :seconds::bigint::float8 * interval '1 s'
ORDER BY 2, 1, r.step
