-- Notes that these messages of one partition have a letter.
INSERT INTO pruned.dead_letters (topic, partition, "offset", sent_ms)
SELECT :topic::text, :partition::int, u."offset", u.sent_ms
FROM unnest(:offset::bigint[], :sent_ms::bigint[]) AS u ("offset", sent_ms)
ORDER BY u."offset"
ON CONFLICT (topic, partition, "offset") DO UPDATE SET sent_ms = excluded.sent_ms, at = excluded.at
