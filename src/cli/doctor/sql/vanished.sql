-- Jobs that have done their work within a week, and that neither this command (`:job`) nor a
-- process that has run within `:seconds` has any more.
SELECT s.job, pg_catalog.to_char(s.last_success_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS at
FROM pruned.job_states s
WHERE s.last_success_at > now() - interval '7 days' AND s.job <> ALL (:job::text[])
  AND NOT EXISTS (SELECT FROM pruned.processes p WHERE p.seen_at > now() - :seconds::int::float8 * interval '1 second' AND p.jobs ? s.job)
ORDER BY s.job
