-- A common table expression: whom projects invited through project_group_links. The statement has
-- before it:
--   entered (id)   the projects
-- and reads after it:
--   invited (project_id, group_id, most)   users with rights in this group, as members of it or of a group
--                                          that it is shared with (reach.sql), have them in the project,
--                                          too, of at most this level
-- All who reach the invited group count, so the groups above it are included. A group that is gone
-- invites nobody. Fast by project_group_links (project_id) and primary keys: no hierarchy is
-- expanded, and projects without links are not read.
invited AS MATERIALIZED (
  SELECT l.project_id, g.id AS group_id, pg_catalog.max(l.group_access) AS most
  FROM entered e
  CROSS JOIN LATERAL (
    SELECT l.project_id, l.group_id, l.group_access, l.expires_at FROM project_group_links l WHERE l.project_id = e.id OFFSET 0) AS l
  JOIN projects p ON p.id = l.project_id
  CROSS JOIN LATERAL (SELECT n.type, n.traversal_ids FROM namespaces n WHERE n.id = l.group_id OFFSET 0) AS n
  CROSS JOIN LATERAL pg_catalog.unnest(CASE n.type::text WHEN 'Group' THEN n.traversal_ids END OPERATOR(pg_catalog.||) l.group_id) AS g (id)
  WHERE
    -- include: open_link.sql
  GROUP BY l.project_id, g.id
)
