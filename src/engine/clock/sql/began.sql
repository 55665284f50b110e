-- Whether a run of the job has ended well, or is there. The rows of its unfinished runs, by index
-- where many have ended.
SELECT EXISTS (SELECT FROM pruned.job_states s WHERE s.job = :job::text AND s.last_success_at IS NOT NULL)
       OR EXISTS (SELECT FROM pruned.runs r WHERE r.job = :job::text) AS began
