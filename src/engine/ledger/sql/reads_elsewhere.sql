-- The jobs that read `:topic` and that this process does not have. A job that no process has had
-- for a week counts no more: the process that has it may be down for a while, or be started in
-- turn. A job that was removed here counts while another process has it.
SELECT s.job, s.reads FROM pruned.job_states s
WHERE s.reads -> 'topics' ? :topic::text AND s.read_at > now() - interval '7 days' AND s.job <> ALL (:known::text[])
  AND (s.job <> ALL (:removed::text[])
       OR EXISTS (SELECT FROM pruned.processes p
                  WHERE p.jobs ? s.job AND p.seen_at > now() - interval '30 s' AND (p.host, p.pid) <> (:host::text, :pid::int)))
ORDER BY s.job
