-- How many messages of the dead topic, that are still there, have a verdict.
SELECT count(*) AS verdicts
FROM pruned.dead_verdicts v
JOIN unnest(:partition::int[], :low::bigint[], :high::bigint[]) AS p(partition, low, high)
  ON v.partition = p.partition AND v."offset" >= p.low AND v."offset" < p.high
WHERE v.topic = :topic::text
