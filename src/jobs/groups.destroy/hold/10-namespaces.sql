-- Locks the namespaces to be deleted: an insert below one of them waits until this step has ended.
-- Also locks the groups of the projects to be deleted, so that they are not moved elsewhere
-- meanwhile. `moved`: a group that is not below this one. Fast by primary key.
SELECT n.id, n.id = ANY (:group::bigint[]) AND NOT n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:top::bigint] AS moved
FROM namespaces n WHERE n.id = ANY (:namespace::bigint[] OPERATOR(pg_catalog.||) :group::bigint[] OPERATOR(pg_catalog.||) ARRAY(SELECT p.namespace_id FROM projects p WHERE p.id = ANY (:project::bigint[])))
ORDER BY n.id FOR UPDATE
