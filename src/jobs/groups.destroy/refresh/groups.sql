-- Asks for a refresh of the authorizations of: members of these groups of the hierarchy, and of the
-- groups that these are shared with; all who reach a group that a project of theirs invited; and
-- all who reach one of them that any project invited.
-- Users who reach a group of the hierarchy from within it are found with the groups of the
-- hierarchy, so the groups above it are left out. One statement for all projects of these groups,
-- so that the members of a group that many of them invited are read once. Fast by (source_id,
-- source_type) of members, (namespace_id) of projects and the keys of links.
WITH linked AS (
  SELECT l.group_id AS id FROM projects p JOIN project_group_links l ON l.project_id = p.id
  WHERE p.namespace_id = ANY (:group::bigint[])
    AND NOT EXISTS (SELECT FROM namespaces n WHERE n.id = l.group_id AND n.type::text = 'Group' AND :top::bigint = ANY (n.traversal_ids))
  UNION ALL
  SELECT g.id FROM namespaces n CROSS JOIN LATERAL pg_catalog.unnest(n.traversal_ids) AS g (id)
  WHERE n.id = :top::bigint AND g.id <> n.id
    AND EXISTS (SELECT FROM project_group_links l WHERE l.group_id = ANY (:group::bigint[]))
),
-- include: reaching.sql
,
place AS (
  SELECT g.id FROM pg_catalog.unnest(:group::bigint[]) AS g (id)
  UNION
  SELECT l.shared_with_group_id FROM group_group_links l WHERE l.shared_group_id = ANY (:group::bigint[])
  UNION
  SELECT id FROM reaching
),
access AS (
  SELECT DISTINCT m.user_id FROM place p, LATERAL (
    SELECT m.user_id FROM members m
    WHERE m.source_id = p.id AND m.source_type::text = 'Namespace' AND m.user_id IS NOT NULL AND m.requested_at IS NULL OFFSET 0) AS m
),
-- include: unasked.sql
-- include: mark.sql
