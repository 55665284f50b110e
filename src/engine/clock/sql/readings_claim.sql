-- This process reads the run; no row: another one does, or has. A reading that has not ended after
-- ten minutes is begun anew: its process died, or PostgreSQL refused it. What is old is forgotten
-- with it, a page a time: the ledger keeps its runs for 36 days.
WITH old AS MATERIALIZED (SELECT x.run_id FROM pruned.readings x WHERE x.at < now() - interval '36 days' ORDER BY x.at LIMIT 100),
gone AS (DELETE FROM pruned.readings x USING old o WHERE x.run_id = o.run_id)
INSERT INTO pruned.readings AS x (run_id, job) VALUES (:run_id::uuid, :job::text)
ON CONFLICT (run_id) DO UPDATE SET at = now() WHERE x.read IS NULL AND x.at < now() - interval '10 minutes'
RETURNING run_id
