-- Why the user must stay, or null: they are the last owner of a group (locked: 10-namespaces,
-- 40-owners), or they have projects of their own. Fast by members (user_id, access_level) and
-- projects (namespace_id).
WITH RECURSIVE leaving AS MATERIALIZED (
  SELECT row_number() OVER (ORDER BY m.id) AS pos, m.id, m.user_id, m.source_id AS group_id,
         coalesce(n.traversal_ids, '{}') OPERATOR(pg_catalog.||) m.source_id AS groups
  FROM members m JOIN users u ON u.id = m.user_id JOIN namespaces n ON n.id = m.source_id
  WHERE m.user_id = :user_id::bigint AND
  -- include: ../../shared/owner_rule.sql
),
gone AS (SELECT NULL::bigint AS id WHERE false),
-- include: ../../shared/last_owner.sql
SELECT CASE WHEN EXISTS (SELECT FROM last_owner) THEN 'sole owner of a group'
            WHEN EXISTS (SELECT FROM namespaces n JOIN projects p ON p.namespace_id = n.id
                         WHERE n.owner_id = :user_id::bigint AND n.type::text = 'User')
            THEN 'projects left in the personal namespace' END AS reason
