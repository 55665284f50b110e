-- The verdicts of these messages of the dead topic, by the primary key. A verdict older than its
-- message is ignored.
SELECT u.ord::int - 1 AS row, v.verdict, v.at
FROM unnest(:partition::int[], :offset::bigint[], :sent_at::timestamptz[]) WITH ORDINALITY AS u (partition, "offset", sent_at, ord)
JOIN pruned.dead_verdicts v ON v.topic = :topic::text AND v.partition = u.partition AND v."offset" = u."offset" AND v.at >= u.sent_at
