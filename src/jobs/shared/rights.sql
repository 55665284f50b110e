-- What an actor may do, where. Common table expressions; the statement has before them:
--   asked (ask, actor_id, groups, project_id)  one question a row: the group and those above it, and the project, if it is one
--   gone (id)                                  memberships that an earlier step removed (only a plan has such)
-- and reads rights (ask, active, level) after them: the actor's highest level of 40 or more there,
-- 50 for an instance administrator, else 0; also 0 if the actor is not active. Memberships count
-- while they exist, whatever their date; requests, invitations and awaiting ones do not, and
-- neither does what is left of a group that is gone. Through a share between groups the direct
-- members of the invited group count; through a link of the project all who have rights in the
-- invited group (invited.sql), at the lower of the two levels, while the link's date is later than
-- the scheduled day.
-- Fast because it starts from the actor's few memberships of such a level, by (user_id,
-- access_level), follows shares by the invited group and links by the project: the size of the
-- hierarchy does not matter.
actor AS MATERIALIZED (
  SELECT u.id, u.admin FROM users u WHERE u.id IN (SELECT actor_id FROM asked) AND u.state::text = 'active'
),
held AS MATERIALIZED (
  SELECT a.id AS user_id, m.source_type, m.source_id, m.access_level AS level FROM actor a, LATERAL (
    SELECT m.source_type, m.source_id, m.access_level FROM members m
    WHERE m.user_id = a.id AND m.requested_at IS NULL AND m.access_level >= 40 AND coalesce(m.state, 0) = 0
      AND m.id NOT IN (SELECT id FROM gone)
      AND CASE m.source_type::text WHEN 'Namespace' THEN
        -- include: namespace_is_there.sql
        ELSE true END
    OFFSET 0) AS m
),
given (user_id, source_type, source_id, level) AS (
  SELECT * FROM held
  UNION ALL
  SELECT h.user_id, 'Namespace', l.shared_group_id, least(h.level, l.group_access)
  FROM held h JOIN group_group_links l ON l.shared_with_group_id = h.source_id
  WHERE h.source_type::text = 'Namespace' AND EXISTS (SELECT FROM namespaces n WHERE n.id = l.shared_group_id OFFSET 0) AND (l.expires_at IS NULL OR l.expires_at > (
-- include: as_of.sql
AT TIME ZONE 'UTC')::date)
),
entered AS (SELECT DISTINCT project_id AS id FROM asked WHERE project_id IS NOT NULL),
-- include: invited.sql
,
place (ask, user_id, source_type, source_id, most) AS (
  SELECT ask, actor_id, NULL, NULL::bigint, 50 FROM asked
  UNION ALL
  SELECT ask, actor_id, 'Namespace', pg_catalog.unnest(groups), 50 FROM asked
  UNION ALL
  SELECT ask, actor_id, 'Project', project_id, 50 FROM asked WHERE project_id IS NOT NULL
  UNION ALL
  SELECT a.ask, a.actor_id, 'Namespace', i.group_id, i.most FROM asked a JOIN invited i ON i.project_id = a.project_id
),
rights (ask, active, level) AS MATERIALIZED (
  SELECT p.ask, pg_catalog.bool_or(u.id IS NOT NULL),
         CASE WHEN pg_catalog.bool_or(u.admin) THEN 50 ELSE coalesce(pg_catalog.max(least(g.level, p.most)) FILTER (WHERE g.level >= 40 AND p.most >= 40), 0) END
  FROM place p
  LEFT JOIN actor u ON u.id = p.user_id
  LEFT JOIN given g ON g.user_id = p.user_id AND g.source_type::text = p.source_type::text AND g.source_id = p.source_id
  GROUP BY p.ask
)
