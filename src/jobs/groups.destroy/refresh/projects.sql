-- The same for the next projects of these groups: users with an authorization or a membership
-- there. Returns the projects. Fast by (namespace_id), (project_id) and (source_id, source_type).
WITH project AS MATERIALIZED (
  SELECT p.id FROM projects p WHERE p.namespace_id = ANY (:group::bigint[]) AND p.id > :after::bigint ORDER BY p.id LIMIT :limit::bigint
),
access AS (
  SELECT a.user_id FROM project p, LATERAL (
    SELECT a.user_id FROM project_authorizations a WHERE a.project_id = p.id OFFSET 0) AS a
  UNION
  SELECT m.user_id FROM project p, LATERAL (
    SELECT m.user_id FROM members m
    WHERE m.source_id = p.id AND m.source_type::text = 'Project' AND m.user_id IS NOT NULL AND m.requested_at IS NULL OFFSET 0) AS m
),
-- include: unasked.sql
,
marked AS (
  -- include: mark.sql
)
SELECT id FROM project ORDER BY id
