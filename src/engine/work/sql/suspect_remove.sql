-- Suspects came to an orderly end: success, failure or hold.
DELETE FROM pruned.suspects
WHERE topic = :topic::text AND partition = :partition::int AND "offset" = ANY (:offset::bigint[])
