-- Verdicts on messages that the dead topic holds no more, as long as it keeps them for less than the ledger (`pruned doctor` warns).
DELETE FROM pruned.dead_verdicts WHERE (topic, partition, "offset") IN (
  SELECT topic, partition, "offset" FROM pruned.dead_verdicts WHERE at < now() - :run_days::int * interval '1 day' LIMIT 1000)
