-- The runs of an erasure that a command about it means; no row: the run is no erasure, or there are
-- none. `parent`: it means the run itself, too. By the index on parent_id.
SELECT c.run_id, CASE :word::text WHEN 'approve' THEN false WHEN 'retry' THEN p.state = 'dead' OR p.state = 'waiting' AND p.error IS NOT NULL
                                   ELSE p.state NOT IN ('finished', 'skipped') END AS parent
FROM pruned.runs p JOIN pruned.runs c ON c.parent_id = p.run_id
WHERE p.run_id = :run_id::uuid AND p.args ? 'values' AND p.cursor ? 'begun'
  AND CASE :word::text WHEN 'approve' THEN c.state = 'held'
                       WHEN 'retry' THEN c.state = 'dead' OR c.state = 'waiting' AND c.error IS NOT NULL
                       ELSE c.state IN ('waiting', 'ready', 'held', 'dead') END
ORDER BY c.created_at, c.run_id
