-- The state of the work, a row for each value: name, job, second label, value. Reads all runs once:
-- those that have not ended, and those that ended within the last hour. The other tables are small.
WITH RECURSIVE jobs AS (SELECT j.job FROM pg_catalog.unnest(:job::text[]) AS j (job)),
counted AS MATERIALIZED (
  SELECT r.job, r.state, count(*) AS n, count(*) FILTER (WHERE r.attempts > 0) AS failed,
         pg_catalog.bool_or(r.state = 'waiting' AND r.error LIKE 'blocked: %') AS blocked,
         pg_catalog.max(r.finished_at) FILTER (WHERE r.state = 'finished' AND coalesce(r.result ->> 'status', '') NOT IN ('blocked', 'failed')) AS succeeded_at
  FROM pruned.runs r WHERE r.range_of IS NULL GROUP BY r.job, r.state),
states AS (SELECT j.job, s.state FROM jobs j CROSS JOIN unnest(ARRAY['waiting', 'ready', 'held', 'finished', 'dead', 'skipped']) AS s (state)
           UNION SELECT c.job, c.state FROM counted c),
parked AS (SELECT j.job, p.parked FROM jobs j CROSS JOIN unnest(ARRAY[true, false]) AS p (parked)
           UNION SELECT q.job, q.parked FROM pruned.quarantine q WHERE NOT (q.parked AND q.reason = 'restored')),
held_tables (tab) AS (
  (SELECT h.tab FROM pruned.holds h ORDER BY h.tab LIMIT 1)
  UNION ALL
  SELECT (SELECT h.tab FROM pruned.holds h WHERE h.tab > n.tab ORDER BY h.tab LIMIT 1) FROM held_tables n WHERE n.tab IS NOT NULL),
items AS (SELECT q.job, q.parked, count(*) AS n FROM pruned.quarantine q WHERE NOT (q.parked AND q.reason = 'restored') GROUP BY q.job, q.parked),
successes AS (SELECT j.job, greatest((SELECT t.last_success_at FROM pruned.job_states t WHERE t.job = j.job),
                                     (SELECT pg_catalog.max(c.succeeded_at) FROM counted c WHERE c.job = j.job)) AS at FROM jobs j)
SELECT 'pruned_runs' AS name, s.job, s.state AS label2, coalesce(c.n, 0)::float8 AS value
FROM states s LEFT JOIN counted c ON c.job = s.job AND c.state = s.state
UNION ALL
SELECT 'pruned_failing_runs', j.job, NULL, coalesce((SELECT pg_catalog.sum(c.failed) FROM counted c WHERE c.job = j.job AND c.state IN ('waiting', 'ready')), 0)::float8
FROM jobs j
UNION ALL
SELECT 'pruned_quarantine_items', p.job, p.parked::text, coalesce(i.n, 0)::float8
FROM parked p LEFT JOIN items i ON i.job = p.job AND i.parked = p.parked
UNION ALL
SELECT 'pruned_job_blocked', j.job, NULL,
       (EXISTS (SELECT FROM pruned.blocked b WHERE b.job = j.job) OR EXISTS (SELECT FROM counted c WHERE c.job = j.job AND c.blocked))::int::float8
FROM jobs j
UNION ALL
SELECT 'pruned_held_runs', j.job, NULL, coalesce((SELECT pg_catalog.sum(c.n) FROM counted c WHERE c.job = j.job AND c.state = 'held'), 0)::float8
FROM jobs j
UNION ALL
SELECT 'pruned_job_paused', j.job, NULL, (EXISTS (SELECT FROM pruned.controls c WHERE c.job = j.job AND c.paused AND coalesce(c.paused_until > now(), true)))::int::float8 FROM jobs j
UNION ALL
SELECT 'pruned_run_disagreed', j.job, NULL,
       (SELECT count(*) FROM pruned.readings x WHERE x.job = j.job AND x.wrong + x.left_over + x.lost > 0
        AND NOT EXISTS (SELECT FROM pruned.controls c WHERE c.job = j.job AND NOT c.paused AND c.changed_at > x.at))::float8
FROM jobs j
UNION ALL
SELECT 'pruned_last_success_timestamp_seconds', s.job, NULL, coalesce(extract(epoch FROM s.at), 0)::float8 FROM successes s
UNION ALL
SELECT 'pruned_job_known_timestamp_seconds', j.job, NULL, extract(epoch FROM coalesce(t.known_since, now()))::float8
FROM jobs j LEFT JOIN pruned.job_states t ON t.job = j.job
UNION ALL
SELECT 'pruned_held_rows', h.tab, k.kind, (SELECT count(*) FROM (SELECT FROM pruned.holds o WHERE o.tab = h.tab AND o.kind = k.kind AND (o.until IS NULL OR o.until > now()) LIMIT 100000) AS c)::float8
FROM held_tables h CROSS JOIN (VALUES ('hold'), ('restored')) AS k (kind) WHERE h.tab IS NOT NULL
UNION ALL
SELECT 'pruned_held_table_gone', h.tab, NULL, (pg_catalog.to_regclass(h.tab) IS NULL AND NOT EXISTS (SELECT FROM pruned.held_tables t JOIN pg_catalog.pg_class c ON c.oid = t.rel WHERE t.tab = h.tab))::int::float8
FROM held_tables h WHERE h.tab ~ '^("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)[.]("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)$'
UNION ALL
SELECT 'pruned_held_rows_missing', h.tab, NULL, coalesce((SELECT t.missing FROM pruned.held_tables t WHERE t.tab = h.tab AND t.within IS NULL), 0)::float8 FROM held_tables h WHERE h.tab IS NOT NULL
UNION ALL
SELECT 'pruned_hold_ends_timestamp_seconds', e.tab, NULL, extract(epoch FROM pg_catalog.min(e.until))::float8
FROM (SELECT o.tab, o.until FROM pruned.holds o WHERE o.until > now() ORDER BY o.until LIMIT 100000) AS e GROUP BY e.tab
