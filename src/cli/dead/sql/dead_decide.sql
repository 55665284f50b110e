-- Stores a verdict for these messages. Its time is never before a message's own, even if the clocks
-- differ.
INSERT INTO pruned.dead_verdicts (topic, partition, "offset", verdict, at)
SELECT :topic::text, u.partition, u."offset", :verdict::text, greatest(clock_timestamp(), u.sent_at)
FROM unnest(:partition::int[], :offset::bigint[], :sent_at::timestamptz[]) AS u (partition, "offset", sent_at)
ORDER BY u.partition, u."offset"
ON CONFLICT (topic, partition, "offset") DO UPDATE SET verdict = excluded.verdict, at = excluded.at
