-- Processes that were killed, or whose machine is gone. A process that was only slow inserts its
-- row again.
DELETE FROM pruned.processes WHERE seen_at < now() - interval '10 minutes'
