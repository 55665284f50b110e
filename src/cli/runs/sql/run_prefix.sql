-- Runs whose id is between two, from the table or the archive, by their primary keys. Two are
-- enough to say that there are several.
SELECT u.run_id FROM (
  SELECT run_id FROM pruned.runs WHERE run_id BETWEEN :first::uuid AND :last::uuid AND range_of IS NULL
  UNION
  SELECT run_id FROM pruned.runs_done WHERE run_id BETWEEN :first::uuid AND :last::uuid) AS u
ORDER BY u.run_id
LIMIT 2
