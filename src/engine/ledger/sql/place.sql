-- Inserts new runs. A run that exists already (here or in the archive), or whose unique key an
-- unfinished run holds, is not returned. The order is unique key, then message, so that two
-- processes never deadlock.
INSERT INTO pruned.runs (run_id, parent_id, scheduled_at, due_at, state, job, slot, unique_key, args, context, named_table, attempts,
                         error, result, published_at, finished_at)
SELECT u.run_id, u.parent_id, u.scheduled_at, t.due_at,
       t.state, u.job, u.slot, CASE WHEN t.state IN ('skipped', 'finished') OR (u.late_key AND t.state = 'waiting') THEN NULL ELSE u.unique_key END,
       u.args, u.context, u.named_table, u.attempts, u.error,
       CASE WHEN t.state = 'finished' THEN pg_catalog.jsonb_build_object('status', 'blocked', 'reason', u.error) END,
       CASE WHEN t.state = 'ready' THEN clock_timestamp() END, CASE WHEN t.state IN ('skipped', 'finished') THEN now() END
FROM unnest(:run_id::uuid[], :parent_id::uuid[], :scheduled_at::timestamptz[], :due_at::timestamptz[],
            :delay_ms::bigint[], :state::text[], :job::text[], :slot::int[], :unique_key::text[], :late_key::bool[],
            :args::jsonb[], :context::jsonb[], :named_table::text[], :attempts::int[], :error::text[])
     WITH ORDINALITY AS u (run_id, parent_id, scheduled_at, due_at, delay_ms, state, job, slot, unique_key, late_key,
                           args, context, named_table, attempts, error, ord)
CROSS JOIN LATERAL (SELECT coalesce(u.due_at, now()) + u.delay_ms::float8 * interval '1 ms' AS due_at) AS a
CROSS JOIN LATERAL (SELECT a.due_at, CASE WHEN u.state IS NOT NULL THEN u.state
                                  WHEN a.due_at > now() THEN 'waiting'
                                  WHEN EXISTS (SELECT FROM pruned.controls c WHERE c.job = u.job AND c.paused AND coalesce(c.paused_until > now(), true)) THEN 'waiting'
                                  WHEN EXISTS (SELECT FROM pruned.stop s WHERE s.stopped) THEN 'waiting'
                                  ELSE 'ready' END AS state) AS t
LEFT JOIN LATERAL (SELECT true AS known FROM pruned.runs_done d
                   WHERE d.run_id = u.run_id AND d.scheduled_at = u.scheduled_at LIMIT 1) AS d ON true
WHERE d.known IS NULL AND (u.parent_id IS NOT NULL OR NOT EXISTS (SELECT FROM pruned.event_ids e WHERE e.run_id = u.run_id))
ORDER BY u.unique_key NULLS FIRST, u.ord
ON CONFLICT DO NOTHING
RETURNING run_id, state, (extract(epoch FROM due_at) * 1000000.0)::bigint AS due_at
