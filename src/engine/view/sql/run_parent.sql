-- The run that started a run, from the table or the archive.
SELECT p.run_id, p.job, p.state FROM pruned.runs p WHERE p.run_id = :parent_id::uuid
UNION ALL
SELECT p.run_id, p.job, p.state FROM pruned.runs_done p WHERE p.run_id = :parent_id::uuid
LIMIT 1
