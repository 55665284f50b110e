-- Which of these runs exist at all.
SELECT r.run_id FROM pruned.runs r WHERE r.run_id = ANY (:run_id::uuid[])
UNION ALL
SELECT d.run_id FROM pruned.runs_done d WHERE d.run_id = ANY (:run_id::uuid[])
