-- A row: this server is less than two minutes behind the look for overdue rows of the job that was
-- taken at `:taken_at`: it has the one before, or this one.
SELECT FROM pruned.overdue o WHERE o.job = :job::text AND o.taken_at > :taken_at::timestamptz - interval '2 minutes'
