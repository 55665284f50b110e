-- Sets the switch that every process reads before it starts a step of the job.
INSERT INTO pruned.controls (job, paused) VALUES (:job::text, :paused::boolean)
ON CONFLICT (job) DO UPDATE SET paused = excluded.paused, changed_at = now()
