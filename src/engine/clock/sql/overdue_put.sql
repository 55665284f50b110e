-- What was found about the overdue rows of the job.
UPDATE pruned.overdue SET found = :found::jsonb, looked_at = now() WHERE job = :job::text
