-- Blocked jobs: ticks that ended blocked (with the first run), and runs that wait because they are
-- blocked. Only waiting runs of the next minutes are read: blocked runs are retried each minute.
SELECT b.job, pg_catalog.min(b.reason) AS reason, pg_catalog.min(b.run_id::text) AS run_id, count(*) AS n,
       pg_catalog.date_trunc('second', now() - pg_catalog.min(b.first_at))::text AS age,
       EXISTS (SELECT FROM pruned.controls c WHERE c.job = b.job AND c.paused AND coalesce(c.paused_until > now(), true)) AS paused
FROM (SELECT job, reason, run_id, first_at FROM pruned.blocked
      UNION ALL
      (SELECT r.job, pg_catalog.substr(r.error, pg_catalog.length('blocked: ') + 1), r.run_id, coalesce(r.started_at, r.created_at) FROM pruned.runs r
       WHERE r.state = 'waiting' AND r.due_at < now() + interval '2 minutes' AND r.error LIKE 'blocked: %' LIMIT 10000)) AS b
GROUP BY b.job
ORDER BY b.job
