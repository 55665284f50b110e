-- What the deletion of one group would touch, each counted up to a thousand. For plans only; fast
-- because each count ends there.
WITH below AS MATERIALIZED (
  SELECT n.id FROM namespaces n WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint] AND n.type::text = 'Group'
),
project AS MATERIALIZED (
  SELECT p.id FROM below b, LATERAL (SELECT p.id FROM projects p WHERE p.namespace_id = b.id OFFSET 0) AS p LIMIT 1001
),
counted (pos, name, n) AS (
  SELECT 1, 'group', (SELECT count(*) FROM (SELECT FROM below LIMIT 1001) AS x)
  UNION ALL
  SELECT 2, 'project', (SELECT count(*) FROM project)
  UNION ALL
  SELECT 3, 'member', (SELECT count(*) FROM (
    SELECT FROM (SELECT 'Namespace' AS type, id FROM below UNION ALL SELECT 'Project', id FROM project) AS s,
    LATERAL (SELECT FROM members m WHERE m.source_id = s.id AND m.source_type::text = s.type OFFSET 0) AS m LIMIT 1001) AS x)
  UNION ALL
  SELECT 4, 'artifact', (SELECT count(*) FROM (
    SELECT FROM project p, LATERAL (SELECT FROM ci_job_artifacts a WHERE a.project_id = p.id OFFSET 0) AS a LIMIT 1001) AS x)
)
SELECT pg_catalog.string_agg(CASE WHEN n > 1000 THEN '1000+' ELSE n::text END || ' ' || name || CASE n WHEN 1 THEN '' ELSE 's' END, ', ' ORDER BY pos) AS counts FROM counted
