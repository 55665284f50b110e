-- Users that are not the one that the run is about. That this one goes, whoever has started the run
-- has decided.
SELECT g.n, 'the run is about another user' AS wrong, true AS sure
FROM pruned_gone g WHERE (g.row).id <> (:args::jsonb ->> 'user_id')::bigint
