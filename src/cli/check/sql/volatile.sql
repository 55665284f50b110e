-- Functions with the names `:name` that may give another answer each time they are asked. Reads the
-- catalogue only.
SELECT DISTINCT w.job, p.proname AS name
FROM unnest(:job::text[], :name::text[]) AS w (job, name)
JOIN pg_proc p ON p.proname = w.name AND p.provolatile = 'v'
ORDER BY w.job, p.proname
