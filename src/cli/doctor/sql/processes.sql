-- The number of running processes and of different settings, which settings of no job differ, and
-- the processes that have not reported lately. A setting that only another version of the program
-- knows is left out; those of [kafka] are there if they are set. `late`: ticks of the jobs `:job`
-- that should have come a minute ago; `scheduled`: of how many of them a tick is to come;
-- `overdue`: runs that should have begun. `brief`: processes that were killed within a minute of
-- their start; a row is kept for ten minutes.
WITH
-- include: ../../../engine/night/sql/overdue.sql
,
late AS (
  SELECT s.job, s.next_at FROM pruned.schedules s WHERE s.job = ANY (:job::text[]) AND s.next_at < now() - interval '1 minute'),
seen AS (
  SELECT host, pid, version, settings, shared, seen_at > now() - :seconds::int::float8 * interval '1 second' AS alive,
         seen_at, seen_at - started_at < interval '1 minute' AS brief FROM pruned.processes),
told AS (SELECT pg_catalog.count(*) AS n, pg_catalog.count(DISTINCT version) AS versions FROM seen WHERE alive AND shared IS NOT NULL),
differing AS (
  SELECT s.key, pg_catalog.jsonb_agg(DISTINCT s.value) AS values, pg_catalog.count(*) < (SELECT t.n FROM told t) AS absent
  FROM seen p, pg_catalog.jsonb_each(p.shared) AS s WHERE p.alive
  GROUP BY s.key
  HAVING pg_catalog.count(DISTINCT s.value) > 1
      OR (pg_catalog.count(*) < (SELECT t.n FROM told t) AND (s.key LIKE 'kafka.%' OR (SELECT t.versions FROM told t) = 1)))
SELECT count(*) FILTER (WHERE p.alive) AS alive, pg_catalog.count(DISTINCT p.settings) FILTER (WHERE p.alive) AS settings,
       (SELECT pg_catalog.string_agg(pg_catalog.format('%s %s%s', d.key, d.values, CASE WHEN d.absent THEN ' and not set' END), ', ' ORDER BY d.key)
        FROM differing d) AS differing,
       pg_catalog.string_agg(pg_catalog.format('%s on %s', p.pid, p.host), ', ') FILTER (WHERE NOT p.alive) AS silent,
       count(*) FILTER (WHERE NOT p.alive AND p.brief) AS brief,
       (pg_catalog.array_agg(pg_catalog.format('%s on %s', p.pid, p.host) ORDER BY p.seen_at DESC) FILTER (WHERE NOT p.alive AND p.brief))[1] AS last_brief,
       (SELECT pg_catalog.count(*) FROM late) AS late, (SELECT l.job FROM late l ORDER BY l.next_at, l.job LIMIT 1) AS late_job,
       (SELECT CASE WHEN pg_catalog.isfinite(pg_catalog.min(l.next_at)) THEN pg_catalog.date_trunc('second', now() - pg_catalog.min(l.next_at))::text END
        FROM late l) AS late_age,
       (SELECT pg_catalog.count(*) FROM overdue) AS overdue,
       (SELECT pg_catalog.count(*) FROM pruned.schedules s WHERE s.job = ANY (:job::text[]) AND pg_catalog.isfinite(s.next_at)) AS scheduled,
       (SELECT pg_catalog.date_trunc('second', greatest(pg_catalog.min(s.next_at) - now(), interval '0'))::text FROM pruned.schedules s
        WHERE s.job = ANY (:job::text[]) AND pg_catalog.isfinite(s.next_at)) AS next_in
FROM seen p
