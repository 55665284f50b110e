-- Counts messages that are about to be tried, if none of them was under way at more than `most`
-- deaths of the last 72 hours: if they kill the process, the count stays. Returns at how many one
-- of them was.
WITH died AS MATERIALIZED (
  SELECT coalesce(pg_catalog.max(s.deaths), 0) AS deaths FROM pruned.suspects s
  WHERE s.topic = :topic::text AND s.partition = :partition::int AND s."offset" = ANY (:offset::bigint[])
    AND s.at >= now() - interval '72 hours'),
put AS (
  INSERT INTO pruned.suspects AS s (topic, partition, "offset", deaths, at)
  SELECT :topic::text, :partition::int, u.o, 1, now() FROM pg_catalog.unnest(:offset::bigint[]) AS u (o), died d
  WHERE d.deaths <= :most::int
  ON CONFLICT (topic, partition, "offset") DO UPDATE
  SET deaths = CASE WHEN s.at < now() - interval '72 hours' THEN 1 ELSE s.deaths + 1 END, at = now())
SELECT deaths FROM died
