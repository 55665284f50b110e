-- Processes that were killed, or whose machine is gone. One that comes back after all puts its row anew.
DELETE FROM pruned.processes WHERE seen_at < now() - interval '10 minutes'
