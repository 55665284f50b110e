-- An orderly end, whichever.
DELETE FROM pruned.suspects
WHERE topic = :topic::text AND partition = :partition::int AND "offset" = :offset::bigint
