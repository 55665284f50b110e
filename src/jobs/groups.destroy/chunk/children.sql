-- What came below these groups meanwhile, or was left there: groups, and namespaces of projects that are gone. Fast by (parent_id).
SELECT c.id, c.type FROM namespaces c WHERE c.parent_id = ANY (:group::bigint[]) LIMIT :limit::int
