-- Those of the jobs `:job` that have been in force in this database.
SELECT s.job FROM pruned.job_states s WHERE s.job = ANY (:job::text[]) ORDER BY s.job
