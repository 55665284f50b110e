-- Runs that should have begun; dead and held runs; paused jobs; the stop.
WITH
-- include: ../../../engine/night/sql/overdue.sql
,
oldest AS (SELECT job, since FROM overdue ORDER BY since LIMIT 1)
SELECT (SELECT count(*) FROM overdue) AS overdue, (SELECT job FROM oldest) AS job,
       (SELECT pg_catalog.date_trunc('second', now() - since)::text FROM oldest) AS age,
       (SELECT count(*) FROM pruned.runs WHERE state = 'dead' AND range_of IS NULL) AS dead,
       (SELECT count(*) FROM pruned.runs WHERE state = 'held') AS held,
       (SELECT pg_catalog.string_agg(h.n::text || CASE h.why WHEN 'approve' THEN ' by [jobs.NAME] approve' ELSE ' above ' || h.why END, ', ' ORDER BY h.n DESC, h.why)
        FROM (SELECT coalesce(r.held ->> 'limit', 'a limit') AS why, count(*) AS n FROM pruned.runs r WHERE r.state = 'held' GROUP BY 1) AS h) AS why,
       (SELECT pg_catalog.string_agg('pruned resume ' || job, ' && ' ORDER BY job) FROM pruned.controls WHERE paused AND coalesce(paused_until > now(), true)) AS resume,
       (SELECT pg_catalog.string_agg(job, ', ' ORDER BY job) FROM pruned.controls WHERE paused AND coalesce(paused_until > now(), true)) AS paused,
       (SELECT coalesce(pg_catalog.date_trunc('second', s.since)::text, 'a time that its row does not say') || coalesce(' by ' || s.by, '') || coalesce(': ' || s.reason, '')
        FROM pruned.stop s WHERE s.stopped) AS stopped
