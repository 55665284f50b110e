-- A common table expression: groups whose direct members have rights in the groups of `linked
-- (id)`, which the statement has before: these groups, those above them, and those that either are
-- shared with. Fast by primary key and the unique key of shares.
line AS MATERIALIZED (
  SELECT DISTINCT g.id
  FROM (SELECT DISTINCT id FROM linked) AS l LEFT JOIN namespaces n ON n.id = l.id AND n.type::text = 'Group'
  CROSS JOIN LATERAL pg_catalog.unnest(n.traversal_ids OPERATOR(pg_catalog.||) l.id) AS g (id)
),
reaching AS (
  SELECT id FROM line
  UNION
  SELECT s.shared_with_group_id FROM line JOIN group_group_links s ON s.shared_group_id = line.id
)
