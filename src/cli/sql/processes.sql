-- The running processes, and those that were killed a few minutes ago and are not refreshed.
SELECT host, pid, version, started_at, seen_at, settings, partitions
FROM pruned.processes ORDER BY started_at, host, pid
