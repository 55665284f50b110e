-- The processes that run, and those that were killed a few minutes ago: they are not refreshed any more.
SELECT host, pid, version, started_at, seen_at, settings, partitions
FROM pruned.processes ORDER BY started_at, host, pid
