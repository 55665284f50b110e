-- The state in PostgreSQL as one row. All values come from indexes or small tables, but the number
-- of runs by state reads the whole table (runs that have not ended, and those that ended within the
-- last hour).
SELECT pg_catalog.current_setting('server_version') AS version, current_database() AS database,
       (SELECT pg_catalog.max(version) FROM pruned.schema_version) AS schema,
       (SELECT pg_catalog.json_object_agg(s.state, coalesce(r.n, 0) ORDER BY s.position)
        FROM unnest(ARRAY['waiting', 'ready', 'held', 'finished', 'dead', 'skipped']) WITH ORDINALITY AS s(state, position)
        LEFT JOIN (SELECT state, count(*) AS n FROM pruned.runs WHERE range_of IS NULL GROUP BY state) r ON r.state = s.state) AS runs,
       (SELECT count(*) FROM pruned.quarantine WHERE NOT (parked AND reason = 'restored')) AS quarantine,
       (SELECT count(*) FROM pruned.quarantine WHERE parked AND reason <> 'restored') AS parked,
       (SELECT count(*) FROM pruned.unpublished) AS unpublished,
       (SELECT pg_catalog.min(due_at) FROM pruned.runs WHERE state = 'waiting') AS next_due,
       (SELECT coalesce(pg_catalog.jsonb_agg(job ORDER BY job), '[]') FROM pruned.controls WHERE paused AND coalesce(paused_until > now(), true)) AS paused,
       (SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('job', c.job, 'until', pg_catalog.to_char(c.paused_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'reason', c.reason, 'by', (SELECT j.role || ' (' || j.os_user || '@' || j.host || ')' FROM pruned.journal j WHERE (j.command = 'pause' OR j.command LIKE 'pause %') AND j.object = c.job ORDER BY j.at DESC LIMIT 1)) ORDER BY c.job), '[]')
        FROM pruned.controls c WHERE c.paused AND coalesce(c.paused_until > now(), true)) AS pauses,
       (SELECT coalesce(pg_catalog.jsonb_agg(DISTINCT r.job), '[]') FROM pruned.runs r
        WHERE r.state = 'waiting' AND r.error LIKE 'quiet hours%') AS quiet,
       (SELECT coalesce(pg_catalog.jsonb_object_agg(n.job, n.runs), '{}')
        FROM (SELECT r.job, count(*) AS runs FROM pruned.runs r
              WHERE r.state IN ('waiting', 'ready', 'held') AND r.range_of IS NULL AND r.job <> ALL (:known::text[])
                AND NOT EXISTS (SELECT FROM pruned.processes p WHERE p.jobs ? r.job AND p.seen_at > now() - :seconds::bigint::float8 * interval '1 s')
              GROUP BY r.job) AS n) AS removed,
       (SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('host', p.host, 'pid', p.pid, 'running',
                                             p.seen_at > now() - :seconds::bigint::float8 * interval '1 s') ORDER BY p.started_at, p.host, p.pid), '[]')
        FROM pruned.processes p) AS processes,
       (SELECT coalesce(pg_catalog.jsonb_agg(b.job ORDER BY b.job), '[]')
        FROM (SELECT job FROM pruned.blocked
              UNION
              SELECT r.job FROM pruned.runs r
              WHERE r.state = 'waiting' AND r.due_at < now() + interval '2 minutes' AND r.error LIKE 'blocked: %') AS b) AS blocked,
       (SELECT coalesce(pg_catalog.jsonb_object_agg(w.job, w.rows), '{}')
        FROM (SELECT o.job, pg_catalog.sum(r.value::bigint) AS rows
              FROM pruned.overdue o CROSS JOIN LATERAL pg_catalog.jsonb_each_text(CASE WHEN NOT o.found ? 'state' THEN o.found -> 'rows' END) AS r
              WHERE o.looked_at > now() - :known_s::bigint::float8 * interval '1 s' AND r.key NOT
-- include: ../../engine/night/sql/may_stay.sql
              GROUP BY o.job) AS w) AS overdue
