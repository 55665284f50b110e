-- Counts a batch of suspects at once, if none of its messages was under way when a process died.
-- Else it counts nothing and returns a row: they are tried one by one.
WITH died AS MATERIALIZED (
  SELECT FROM pruned.suspects s
  WHERE s.topic = :topic::text AND s.partition = :partition::int AND s."offset" = ANY (:offset::bigint[])
    AND s.at >= now() - interval '72 hours'
  LIMIT 1),
put AS (
  INSERT INTO pruned.suspects (topic, partition, "offset", deaths, at)
  SELECT :topic::text, :partition::int, u.o, 1, now() FROM pg_catalog.unnest(:offset::bigint[]) AS u (o)
  WHERE NOT EXISTS (SELECT FROM died)
  ON CONFLICT (topic, partition, "offset") DO UPDATE SET deaths = 1, at = now())
SELECT 1 AS one FROM died
