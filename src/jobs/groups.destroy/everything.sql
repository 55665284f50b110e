-- The ids of the whole group as three lists: its groups, their projects, and the namespaces of
-- these. Fast by the indexes on traversal_ids and on the projects' group; of a huge group only
-- 10,000 of each.
WITH below AS MATERIALIZED (
  SELECT n.id FROM namespaces n WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint] AND n.type::text = 'Group' LIMIT 10000
),
project AS MATERIALIZED (
  SELECT p.* FROM below b, LATERAL (SELECT p.id, p.project_namespace_id FROM projects p WHERE p.namespace_id = b.id OFFSET 0) AS p LIMIT 10000
)
SELECT ARRAY(SELECT id FROM below) AS groups, ARRAY(SELECT id FROM project) AS projects,
       ARRAY(SELECT n.id FROM project p JOIN namespaces n ON n.id = p.project_namespace_id AND n.type::text = 'Project') AS namespaces
