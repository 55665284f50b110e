-- Forgets which messages have a letter, because the dead topic that had them is gone, and verdicts
-- on letters behind the ends of the one that is there.
WITH gone AS (DELETE FROM pruned.dead_letters)
DELETE FROM pruned.dead_verdicts v
USING unnest(:partition::int[], :high::bigint[]) AS p (partition, high)
WHERE v.topic = :topic::text AND v.partition = p.partition AND v."offset" >= p.high
