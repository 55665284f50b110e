-- At how many deaths of the last 72 hours this message was under way.
SELECT coalesce(pg_catalog.max(deaths), 0) AS deaths FROM pruned.suspects
WHERE topic = :topic::text AND partition = :partition::int AND "offset" = :offset::bigint AND at >= now() - interval '72 hours'
