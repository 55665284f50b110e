-- Rows of another user than the one that the run is about.
SELECT g.n, 'it is of another user than the run is about' AS wrong, true AS sure
FROM pruned_gone g WHERE (g.row).user_id IS DISTINCT FROM (:args::jsonb ->> 'user_id')::bigint
