-- Unpublished messages that a crash left, for this process's lanes; those of unknown jobs and other
-- lanes are left to other processes. Older than two seconds, because normal publishing is faster;
-- or in the future, written while a clock was ahead; or left by a command, which sends nothing
-- itself (step -1 or -2): these are of no job, and the process with the first partition of the
-- ticks sends them; what is told of restored rows (step -2) only when nothing older of their job
-- waits, so that it follows what was told when they went. After a full page the next one begins
-- behind it, so that messages that cannot be sent do not block the rest.
SELECT p.run_id, p.step, pg_catalog.encode(p.messages, 'base64') AS messages, p.job, p.slot, p.at
FROM pruned.unpublished p
WHERE (p.at < now() - interval '2 s' OR p.at > now() + interval '2 s' OR p.step < 0)
  AND CASE WHEN p.step < 0 THEN :first::boolean
           ELSE EXISTS (SELECT FROM unnest(:job::text[], :number::int[], :partitions::int[]) AS l (job, number, partitions)
                        WHERE l.job = p.job AND p.slot % l.partitions = l.number) END
  AND (p.step <> -2 OR NOT EXISTS (SELECT FROM pruned.unpublished o WHERE o.job = p.job AND o.step >= 0 AND o.at < p.at))
  AND (p.at, p.run_id, p.step) > (:after_at::timestamptz, :after_run::uuid, :after_step::int)
ORDER BY p.at, p.run_id, p.step
LIMIT 100
