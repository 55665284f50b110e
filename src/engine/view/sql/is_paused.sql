-- Returns a row if the job is paused: since when, and until when.
SELECT job, changed_at AS since, paused_until FROM pruned.controls WHERE job = :job::text AND paused AND coalesce(paused_until > now(), true)
