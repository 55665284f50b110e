-- Returns a row if the job is paused.
SELECT job FROM pruned.controls WHERE job = :job::text AND paused AND coalesce(paused_until > now(), true)
