-- Locks the namespaces that are to go: whoever puts a row below one of them waits until this step has ended; and the groups of the projects that
-- are to go, so that nobody moves them elsewhere meanwhile. `moved`: a group that is not below this one any more. Fast by primary key.
SELECT n.id, n.id = ANY (:group::bigint[]) AND NOT n.traversal_ids @> ARRAY[:top::bigint] AS moved
FROM namespaces n WHERE n.id = ANY (:namespace::bigint[] || :group::bigint[] || ARRAY(SELECT p.namespace_id FROM projects p WHERE p.id = ANY (:project::bigint[])))
ORDER BY n.id FOR UPDATE
