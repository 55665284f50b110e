-- The run's own rows, and the children that it places: the group, the groups below it, and the
-- memberships of bots, which are removed with what they are members of. A bot counts for each of
-- its memberships. Fast by the indexes on traversal_ids, on the projects' group, on the
-- memberships' source and on the users' id. Each part stops at the limit, and no more than 200,000
-- memberships are looked at.
WITH groups AS MATERIALIZED (
  SELECT n.id FROM namespaces n
  WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[(:args::jsonb ->> 'group_id')::bigint] AND n.type::text = 'Group' LIMIT :limit::bigint),
memberships AS (
  SELECT m.user_id FROM groups g CROSS JOIN LATERAL (
    SELECT m.user_id FROM members m WHERE m.source_id = g.id AND m.source_type::text = 'Namespace'
    UNION ALL
    SELECT m.user_id FROM projects p JOIN members m ON m.source_id = p.id AND m.source_type::text = 'Project'
    WHERE p.namespace_id = g.id) AS m LIMIT 200000)
SELECT (SELECT count(*) FROM groups)
       + (SELECT count(*) FROM (
            SELECT FROM memberships m WHERE (SELECT u.user_type FROM users u WHERE u.id = m.user_id) = 6 LIMIT :limit::bigint) AS bots) AS n
