-- Suspects that were handled though their process died: this assignment begins after them.
DELETE FROM pruned.suspects
WHERE topic = :topic::text AND partition = :partition::int AND "offset" < :offset::bigint
