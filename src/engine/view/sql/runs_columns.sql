-- Part of statements: a run as the commands read it, from a table `r`. While a run is divided, what
-- its ranges have done so far counts as its own, and so does what they wait for. An erasure is what
-- the run is that it waits for.
r.run_id, r.job, coalesce((SELECT w.state FROM (
-- include: erasure_worst.sql
) AS w), r.state) AS state, r.step, r.attempts, r.slot, r.unique_key, r.parent_id, r.scheduled_at, r.due_at, r.args, r.cursor, r.created_at,
r.started_at, r.published_at, r.changed_at, r.finished_at,
CASE WHEN r.cursor ? 'ranges' AND r.result ->> 'mode' IS DISTINCT FROM 'plan'
     THEN coalesce((SELECT coalesce(r.result, '{}') || pg_catalog.jsonb_object_agg(s.key, s.n)
                    FROM (SELECT c.key, pg_catalog.sum((c.value #>> '{}')::numeric) AS n
                          FROM (SELECT r.result UNION ALL SELECT g.result FROM pruned.runs g WHERE g.range_of = r.run_id) AS p (result)
                          CROSS JOIN LATERAL pg_catalog.jsonb_each(CASE WHEN pg_catalog.jsonb_typeof(p.result) = 'object' THEN p.result ELSE '{}' END) AS c (key, value)
                          WHERE pg_catalog.jsonb_typeof(c.value) = 'number' GROUP BY c.key) AS s), r.result)
     ELSE r.result END AS result,
coalesce(r.error, CASE WHEN r.cursor ? 'ranges' AND r.state || '' IN ('waiting', 'ready')
                       THEN (SELECT pg_catalog.min(g.error) FROM pruned.runs g
                             WHERE g.range_of = r.run_id AND g.state || '' = 'waiting' AND (g.error LIKE 'throttled: %' OR g.error LIKE 'quiet hours until %'))
                       END,
         (SELECT w.job || ': ' || w.error FROM (
-- include: erasure_worst.sql
) AS w)) AS error,
r.held - '{version,known_as,values}'::text[] AS held, r.job_version,
CASE WHEN r.state = 'waiting' AND r.error LIKE 'blocked: %' THEN 'blocked' ELSE r.result ->> 'status' END AS status
