-- Suspects below this assignment's first message: they were handled although their process died.
DELETE FROM pruned.suspects
WHERE topic = :topic::text AND partition = :partition::int AND "offset" < :offset::bigint
