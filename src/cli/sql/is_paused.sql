-- A row if somebody has paused the job.
SELECT job FROM pruned.controls WHERE job = :job::text AND paused
