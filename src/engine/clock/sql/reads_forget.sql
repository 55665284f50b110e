-- Jobs that were removed while this process ran, and that no other running process has: nobody
-- waits for their events.
UPDATE pruned.job_states s SET reads = NULL
WHERE s.job = ANY (:removed::text[]) AND s.reads IS NOT NULL
  AND NOT EXISTS (SELECT FROM pruned.processes p WHERE p.jobs ? s.job AND p.seen_at > now() - interval '30 s')
