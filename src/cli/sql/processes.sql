-- The running processes, and those that were killed a few minutes ago and are not refreshed.
-- `differing`: what another running process has in another version or with another value, or lacks.
-- Jobs of one's own by their names, settings by their keys.
SELECT p.host, p.pid, p.version, p.started_at, p.seen_at, p.settings, p.partitions,
       (SELECT pg_catalog.string_agg(DISTINCT d.name, ', ' ORDER BY d.name)
        FROM pruned.processes o
        CROSS JOIN LATERAL (
          SELECT k.name FROM pg_catalog.jsonb_object_keys(p.versions || o.versions) AS k (name)
          WHERE p.versions ->> k.name IS DISTINCT FROM o.versions ->> k.name
          UNION ALL
          SELECT k.name FROM pg_catalog.jsonb_object_keys(p.shared || o.shared) AS k (name)
          WHERE p.shared ->> k.name IS DISTINCT FROM o.shared ->> k.name
          UNION ALL
          SELECT 'jobs.' || j.key || '.' || s.key FROM pg_catalog.jsonb_each(p.jobs) AS j, pg_catalog.jsonb_each(j.value) AS s
          WHERE s.value <> o.jobs -> j.key -> s.key) AS d
        WHERE least(p.seen_at, o.seen_at) > now() - :seconds::bigint::float8 * interval '1 s') AS differing
FROM pruned.processes p ORDER BY p.started_at, p.host, p.pid
