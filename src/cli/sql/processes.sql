-- The running processes, and those that were killed a few minutes ago and are not refreshed.
-- `differing`: jobs of which another running process has another version, or none.
SELECT p.host, p.pid, p.version, p.started_at, p.seen_at, p.settings, p.partitions,
       (SELECT pg_catalog.string_agg(DISTINCT j.job, ', ' ORDER BY j.job)
        FROM pruned.processes o
        CROSS JOIN LATERAL (SELECT pg_catalog.jsonb_object_keys(p.versions || o.versions) AS job) AS j
        WHERE p.versions ->> j.job IS DISTINCT FROM o.versions ->> j.job
          AND least(p.seen_at, o.seen_at) > now() - :seconds::bigint::float8 * interval '1 s') AS differing
FROM pruned.processes p ORDER BY p.started_at, p.host, p.pid
