-- Left by a crash, on lanes that are ours now; those of jobs that this process does not know, or of lanes elsewhere, are left to others. Two
-- seconds: nobody's ordinary publishing takes that long; what lies ahead is of a clock that was. After a full page the next one begins
-- behind it, so that what cannot be sent keeps nothing back.
SELECT p.run_id, p.step, pg_catalog.encode(p.messages, 'base64') AS messages, p.job, p.slot, p.at
FROM pruned.unpublished p
WHERE (p.at < now() - interval '2 s' OR p.at > now() + interval '2 s')
  AND EXISTS (SELECT FROM unnest(:job::text[], :number::int[], :partitions::int[]) AS l (job, number, partitions)
              WHERE l.job = p.job AND p.slot % l.partitions = l.number)
  AND (p.at, p.run_id, p.step) > (:after_at::timestamptz, :after_run::uuid, :after_step::int)
ORDER BY p.at, p.run_id, p.step
LIMIT 100
