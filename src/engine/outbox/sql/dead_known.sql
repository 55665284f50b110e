-- Which of these messages of one partition have a letter already, by the primary key, in their
-- order. A message of a topic that was made anew has the place of another one, but not its time.
SELECT u.ord::int - 1 AS row
FROM unnest(:offset::bigint[], :sent_ms::bigint[]) WITH ORDINALITY AS u ("offset", sent_ms, ord)
JOIN pruned.dead_letters d ON d.topic = :topic::text AND d.partition = :partition::int AND d."offset" = u."offset" AND d.sent_ms = u.sent_ms
ORDER BY u.ord
