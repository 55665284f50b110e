-- Whether the database has anything of a job that there is no more.
SELECT EXISTS (SELECT FROM pruned.controls c WHERE c.job = :job::text)
       OR EXISTS (SELECT FROM pruned.runs r WHERE r.job = :job::text)
       OR EXISTS (SELECT FROM pruned.runs_done r WHERE r.job = :job::text)
       OR EXISTS (SELECT FROM pruned.quarantine q WHERE q.job = :job::text)
       OR EXISTS (SELECT FROM pruned.journal j WHERE j.object = :job::text) AS known
