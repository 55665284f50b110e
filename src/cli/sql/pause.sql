-- The switch that every process looks at before it starts a step of the job.
INSERT INTO pruned.controls (job, paused) VALUES (:job::text, :paused::boolean)
ON CONFLICT (job) DO UPDATE SET paused = excluded.paused, changed_at = now()
