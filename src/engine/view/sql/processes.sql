-- The running processes, and those that were killed a few minutes ago and are not refreshed.
-- `differing`: what another running process has in another version or with another value, or lacks:
-- jobs by their names, settings by their keys. A setting that only another version of the program
-- knows is left out; those of [kafka] are there if they are set.
SELECT p.host, p.pid, p.version, p.started_at, p.seen_at, p.settings, p.partitions,
       (SELECT pg_catalog.string_agg(DISTINCT d.name, ', ' ORDER BY d.name)
        FROM pruned.processes o
        CROSS JOIN LATERAL (
          SELECT coalesce(a.key, b.key) AS name FROM pg_catalog.jsonb_each(p.versions) AS a FULL JOIN pg_catalog.jsonb_each(o.versions) AS b ON b.key = a.key
          WHERE p.versions IS NOT NULL AND o.versions IS NOT NULL AND a.value IS DISTINCT FROM b.value
          UNION ALL
          SELECT coalesce(a.key, b.key) FROM pg_catalog.jsonb_each(p.shared) AS a FULL JOIN pg_catalog.jsonb_each(o.shared) AS b ON b.key = a.key
          WHERE p.shared IS NOT NULL AND o.shared IS NOT NULL AND a.value IS DISTINCT FROM b.value
            AND (a.key = b.key OR p.version = o.version OR coalesce(a.key, b.key) LIKE 'kafka.%')
          UNION ALL
          SELECT coalesce(a.key, b.key) FROM pg_catalog.jsonb_each(p.jobs) AS a FULL JOIN pg_catalog.jsonb_each(o.jobs) AS b ON b.key = a.key
          WHERE a.key IS NULL OR b.key IS NULL
          UNION ALL
          SELECT 'jobs.' || a.key || '.' || s.key
          FROM pg_catalog.jsonb_each(p.jobs) AS a JOIN pg_catalog.jsonb_each(o.jobs) AS b ON b.key = a.key AND b.value <> a.value
          CROSS JOIN LATERAL pg_catalog.jsonb_each(a.value) AS s
          WHERE s.value <> b.value -> s.key) AS d
        WHERE o.id <> p.id AND least(p.seen_at, o.seen_at) > now() - :seconds::bigint::float8 * interval '1 s') AS differing
FROM pruned.processes p ORDER BY p.started_at, p.host, p.pid
