-- Namespaces below these groups that were inserted meanwhile or left: groups, and namespaces of
-- projects that are gone. Fast by (parent_id).
SELECT c.id, c.type FROM namespaces c WHERE c.parent_id = ANY (:group::bigint[]) LIMIT :limit::int
