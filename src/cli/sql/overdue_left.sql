-- Jobs with a deadline that neither this command line (`:known`) nor a process has any more, with
-- what makes their rows due.
SELECT o.job, o.rule FROM pruned.overdue o
WHERE NOT o.job = ANY (:known::text[]) AND NOT EXISTS (
  SELECT FROM pruned.processes p WHERE p.seen_at > now() - :seconds::bigint::float8 * interval '1 s' AND p.jobs ? o.job)
ORDER BY o.job
