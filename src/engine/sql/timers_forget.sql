-- Timers whose events are older than what the ledger keeps: such an event would be refused.
DELETE FROM pruned.timers WHERE unique_key IN (
  SELECT unique_key FROM pruned.timers WHERE scheduled_at < now() - (:run_days::int + 1) * interval '1 day' LIMIT 1000)
