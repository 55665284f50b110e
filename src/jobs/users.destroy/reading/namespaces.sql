-- Namespaces that are not the personal one of the user that the run is about.
SELECT g.n, 'it is not the personal namespace of the user that the run is about' AS wrong, true AS sure
FROM pruned_gone g
WHERE ((g.row).owner_id = (:args::jsonb ->> 'user_id')::bigint AND (g.row).type = 'User') IS NOT TRUE
