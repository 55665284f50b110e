-- Candidates for a lost message: ready and untouched for two seconds (or touched by a clock that
-- was ahead), on this process's lanes. A lane's slots are those within the capacity, and any beyond
-- it (slots that arguments name, a capacity that was higher), found by a skip scan of the index.
WITH RECURSIVE lane AS (
  SELECT * FROM unnest(:job::text[], :number::int[], :partitions::int[], :capacity::int[]) AS l (job, number, partitions, capacity)),
beyond AS (
  SELECT l.job, l.number, l.partitions,
         (SELECT pg_catalog.min(r.slot) FROM pruned.runs r WHERE r.job = l.job AND r.slot >= l.capacity AND r.state = 'ready') AS slot
  FROM lane l
  UNION ALL
  SELECT b.job, b.number, b.partitions,
         (SELECT pg_catalog.min(r.slot) FROM pruned.runs r WHERE r.job = b.job AND r.slot > b.slot AND r.state = 'ready')
  FROM beyond b WHERE b.slot IS NOT NULL),
slots AS (
  SELECT l.job, s.slot FROM lane l CROSS JOIN LATERAL pg_catalog.generate_series(l.number, l.capacity - 1, l.partitions) AS s (slot)
  UNION ALL
  SELECT b.job, b.slot FROM beyond b WHERE b.slot % b.partitions = b.number)
SELECT r.run_id, r.job, r.step, r.attempts, r.slot, r.args, r.cursor, r.progress,
       (extract(epoch FROM r.scheduled_at) * 1000000.0)::bigint AS scheduled_at,
       (extract(epoch FROM r.due_at) * 1000000.0)::bigint AS due_at,
       pg_catalog.abs(extract(epoch FROM clock_timestamp() - coalesce(r.published_at, r.changed_at)))::bigint AS age_s
FROM slots s
CROSS JOIN LATERAL (
  SELECT * FROM pruned.runs r
  WHERE r.job = s.job AND r.slot = s.slot AND r.state = 'ready'
    AND (r.changed_at < now() - interval '2 s' OR r.changed_at > now() + interval '2 s')
  LIMIT 200) AS r
WHERE NOT EXISTS (SELECT FROM pruned.controls c WHERE c.job = r.job AND c.paused AND coalesce(c.paused_until > now(), true))
  AND NOT EXISTS (SELECT FROM pruned.stop s WHERE s.stopped)
