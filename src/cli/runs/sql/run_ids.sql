-- The runs whose id begins so, from the table and the archive, at most two. Read by the primary
-- keys.
SELECT run_id FROM pruned.runs WHERE run_id BETWEEN :low::uuid AND :high::uuid AND range_of IS NULL
UNION
SELECT run_id FROM pruned.runs_done WHERE run_id BETWEEN :low::uuid AND :high::uuid
ORDER BY run_id LIMIT 2
