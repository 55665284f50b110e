-- Waits until no process steps the holders of the keys that children lost. Returns the holders
-- that are still unfinished.
SELECT h.run_id FROM pruned.runs h
WHERE h.run_id = ANY (:run_id::uuid[]) AND h.unique_key IS NOT NULL
ORDER BY h.unique_key, h.run_id
FOR SHARE
