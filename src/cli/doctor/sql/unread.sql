-- Whether a process runs (`:seconds`: since its last report), and the partitions of which the end
-- was read although messages seem to follow: what transactions left. One row at least. Read as a
-- whole; both tables are small.
SELECT (SELECT pg_catalog.count(*) FROM pruned.processes p WHERE p.seen_at > now() - :seconds::int::float8 * interval '1 second') AS alive,
       i.topic, i.partition, i.read_to
FROM (VALUES (1)) AS one (row)
LEFT JOIN (SELECT i.topic, i.partition, pg_catalog.max(i.read_to) AS read_to FROM pruned.intake i WHERE i.read_to IS NOT NULL GROUP BY 1, 2) AS i ON true
