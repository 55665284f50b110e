-- Whether the personal namespace has projects. Fast by namespaces (owner_id) and projects
-- (namespace_id).
SELECT EXISTS (SELECT FROM namespaces n JOIN projects p ON p.namespace_id = n.id
               WHERE n.owner_id = :user_id::bigint AND n.type::text = 'User') AS there
