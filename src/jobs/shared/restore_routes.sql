-- Restores the full paths and names of the groups and of everything below them; a route below
-- several of these groups follows the nearest one. They are computed from the locked rows: what the
-- application has renamed meanwhile keeps that name. Fast because the index on traversal_ids finds
-- what is below, and the unique key of its source finds each route.
WITH back AS MATERIALIZED (
  SELECT * FROM unnest(:key::bigint[], :depth::int[], :was_path::text[], :full_path::text[], :was_name::text[], :full_name::text[])
    AS k (id, depth, was_path, full_path, was_name, full_name)
),
below AS MATERIALIZED (
  SELECT DISTINCT ON (n.id) n.id, b.was_path, b.full_path, b.was_name, b.full_name
  FROM back b, LATERAL (
    SELECT n.id FROM namespaces n WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[b.id] AND n.type::text = 'Group' OFFSET 0) AS n
  ORDER BY n.id, b.depth DESC
),
source AS (
  SELECT 'Namespace' AS type, b.* FROM below b
  UNION ALL
  SELECT 'Project', p.id, b.was_path, b.full_path, b.was_name, b.full_name
  FROM below b, LATERAL (SELECT p.id FROM projects p WHERE p.namespace_id = b.id OFFSET 0) AS p
),
locked AS MATERIALIZED (
  SELECT r.id, r.path::text AS path, r.name::text AS name, pg_catalog.to_jsonb(r.*) AS row, f.was_path, f.full_path, f.was_name, f.full_name
  FROM (SELECT r.id, s.was_path, s.full_path, s.was_name, s.full_name FROM source s, LATERAL (
          SELECT r.id FROM routes r WHERE r.source_type::text = s.type AND r.source_id = s.id OFFSET 0) AS r) AS f
  JOIN routes r ON r.id = f.id
  ORDER BY r.id FOR UPDATE OF r
),
was AS MATERIALIZED (
  SELECT l.id, l.row, CASE WHEN pg_catalog.starts_with(l.path || '/', l.was_path || '/')
                           THEN l.full_path || pg_catalog.substr(l.path, pg_catalog.length(l.was_path) + 1) ELSE l.path END AS path,
         CASE WHEN pg_catalog.starts_with(l.name || ' / ', l.was_name || ' / ')
              THEN l.full_name || pg_catalog.substr(l.name, pg_catalog.length(l.was_name) + 1) ELSE l.name END AS name
  FROM locked l
)
UPDATE routes r SET path = was.path, name = was.name, updated_at = now()
FROM was WHERE r.id = was.id AND (r.path::text <> was.path OR r.name::text IS DISTINCT FROM was.name)
RETURNING r.id AS key, was.row
