-- Asks again for a refresh of members of these groups with which other groups are shared, and of
-- all who reach one of these groups that a project invited (also as members of a group above, which
-- stays). They lose what they could see there, and an earlier request can have been served already.
-- Fast by the indexes of the links.
WITH linked AS (SELECT l.group_id AS id FROM project_group_links l WHERE l.group_id = ANY (:group::bigint[])),
-- include: reaching.sql
,
place AS (
  SELECT l.shared_with_group_id AS id FROM group_group_links l WHERE l.shared_with_group_id = ANY (:group::bigint[])
  UNION
  SELECT id FROM reaching
),
who AS (
  SELECT DISTINCT m.user_id FROM place p, LATERAL (
    SELECT m.user_id FROM members m
    WHERE m.source_id = p.id AND m.source_type::text = 'Namespace' AND m.user_id IS NOT NULL AND m.requested_at IS NULL OFFSET 0) AS m
)
-- include: mark.sql
