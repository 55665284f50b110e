-- Marks the members of these groups, and of the groups that these are shared with, and all who reach one of these groups that a
-- project invited, for a refresh of their authorizations. Fast by (source_id, source_type) of members and the keys of links.
WITH linked AS (SELECT l.group_id AS id FROM project_group_links l WHERE l.group_id = ANY (:group::bigint[])),
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
    WHERE m.source_id = p.id AND m.source_type = 'Namespace' AND m.user_id IS NOT NULL AND m.requested_at IS NULL OFFSET 0) AS m
),
-- include: unasked.sql
-- include: mark.sql
