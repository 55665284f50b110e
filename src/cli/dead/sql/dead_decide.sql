-- Stores a verdict for these messages. Its time is never before a message's own, even if the clocks
-- differ. A message that was sent again meanwhile stays retried.
WITH asked AS MATERIALIZED (
  SELECT u.partition, u."offset", u.sent_at
  FROM unnest(:partition::int[], :offset::bigint[], :sent_at::timestamptz[]) AS u (partition, "offset", sent_at))
INSERT INTO pruned.dead_verdicts AS v (topic, partition, "offset", verdict, at)
SELECT :topic::text, a.partition, a."offset", :verdict::text, greatest(clock_timestamp(), a.sent_at)
FROM asked a
ORDER BY a.partition, a."offset"
ON CONFLICT (topic, partition, "offset") DO UPDATE SET verdict = excluded.verdict, at = excluded.at
WHERE v.verdict <> 'retried' OR excluded.verdict = 'retried'
   OR v.at < (SELECT a.sent_at FROM asked a WHERE a.partition = v.partition AND a."offset" = v."offset")
