-- This message is about to be tried; if it kills the process, the count stays.
INSERT INTO pruned.suspects AS s (topic, partition, "offset", deaths, at)
VALUES (:topic::text, :partition::int, :offset::bigint, 1, now())
ON CONFLICT (topic, partition, "offset") DO UPDATE
SET deaths = CASE WHEN s.at < now() - interval '72 hours' THEN 1 ELSE s.deaths + 1 END, at = now()
RETURNING deaths
