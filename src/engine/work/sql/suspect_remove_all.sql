-- A batch of suspects came to an orderly end.
DELETE FROM pruned.suspects
WHERE topic = :topic::text AND partition = :partition::int AND "offset" = ANY (:offset::bigint[])
