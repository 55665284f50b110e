-- Whether something lies below the locked groups: it was inserted after the step had looked and
-- before it had the lock. Fast by (parent_id) and (namespace_id).
SELECT true AS inserted
WHERE EXISTS (SELECT FROM namespaces c WHERE c.parent_id = ANY (:group::bigint[]))
   OR EXISTS (SELECT FROM projects p WHERE p.namespace_id = ANY (:group::bigint[]))
