-- Jobs that have no schedule any more.
DELETE FROM pruned.schedules WHERE job = ANY (:job::text[])
