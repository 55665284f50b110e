-- What becomes of each membership: it is removed if the author of the schedule may remove it and no
-- group loses its last owner. Users who scheduled their own removal may, whatever their level is or
-- has become by an earlier step.
-- `:member` and `:schedule` say which schedule asks for which membership. `matters`: later steps of
-- a plan must know that it is removed. Fast by primary keys, which OFFSET 0 enforces: otherwise the
-- planner reads whole tables. The rights start from the actors' own memberships, and the rule about
-- owners reads only owners.
WITH RECURSIVE schedule AS MATERIALIZED (
  SELECT s.id, s.user_id, s.namespace_id, s.scheduled_by_id, r.traversal_ids[1] AS root_id, u.state, u.user_type
  FROM members_deletion_schedules s LEFT JOIN namespaces r ON r.id = s.namespace_id LEFT JOIN users u ON u.id = s.user_id
  WHERE s.id = ANY (ARRAY(SELECT DISTINCT pg_catalog.unnest(:schedule::bigint[])))
),
page AS MATERIALIZED (
  SELECT k.pos, k.id AS key, u.id AS schedule_id, u.user_id AS scheduled_user_id, u.namespace_id AS scheduled_namespace_id,
         u.scheduled_by_id, m.id AS member_id, m.user_id, m.source_type, m.source_id, m.access_level, m.expires_at, u.user_type,
         CASE m.source_type::text WHEN 'Project' THEN p.id END AS project_id,
         CASE WHEN m.source_type::text = 'Project' OR n.type::text = 'Group' THEN n.traversal_ids END AS traversal_ids,
         u.root_id,
         -- include: ../shared/owner_rule.sql
         AS owner
  FROM pg_catalog.unnest(:key::bigint[]) WITH ORDINALITY AS k (id, pos)
  LEFT JOIN unnest(:member::bigint[], :schedule::bigint[]) AS a (member_id, schedule_id) ON a.member_id = k.id
  LEFT JOIN schedule u ON u.id = a.schedule_id -- and its user
  LEFT JOIN LATERAL (
    SELECT m.id, m.user_id, m.source_type, m.source_id, m.type, m.access_level, m.expires_at, m.requested_at, m.state
    FROM members m WHERE m.id = k.id AND m.user_id = u.user_id OFFSET 0) AS m ON true
  LEFT JOIN LATERAL (
    SELECT p.id, p.namespace_id FROM projects p WHERE m.source_type::text = 'Project' AND p.id = m.source_id OFFSET 0) AS p ON true
  LEFT JOIN LATERAL (
    SELECT n.type, n.traversal_ids FROM namespaces n
    WHERE n.id = CASE m.source_type::text WHEN 'Project' THEN p.namespace_id ELSE m.source_id END OFFSET 0) AS n ON true
),
asked AS (SELECT key AS ask, scheduled_by_id AS actor_id, traversal_ids AS groups, project_id FROM page),
gone AS (SELECT pg_catalog.unnest(:gone::bigint[]) AS id),
-- include: ../shared/rights.sql
,
judged AS MATERIALIZED (
  SELECT p.*, CASE WHEN (p.traversal_ids[1] = p.root_id) IS NOT TRUE THEN 'gone' WHEN p.user_type = 6 THEN 'project bot'
                   WHEN NOT r.active THEN 'actor not active'
                   WHEN p.scheduled_by_id = p.user_id THEN NULL
                   WHEN r.level < CASE WHEN p.project_id IS NULL OR p.access_level = 50 THEN 50 ELSE 40 END THEN 'no rights' END AS why
  FROM page p LEFT JOIN rights r ON r.ask = p.key
),
leaving AS MATERIALIZED (
  SELECT pos, member_id AS id, user_id, source_id AS group_id, traversal_ids OPERATOR(pg_catalog.||) source_id AS groups
  FROM judged WHERE owner AND why IS NULL
),
-- include: ../shared/last_owner.sql
SELECT j.key, d.what, CASE d.what WHEN 'denied' THEN 'denied' WHEN 'last_owner' THEN 'last_owner' END AS reason,
       CASE d.what WHEN 'last_owner' THEN 'last owner' ELSE j.why END AS why,
       j.schedule_id, j.scheduled_by_id, j.scheduled_namespace_id, j.key AS member_id, j.user_id, j.source_type, j.source_id,
       j.access_level, j.expires_at, j.root_id AS root_namespace_id, j.owner OR j.access_level >= 40 AS matters
FROM judged j,
LATERAL (SELECT CASE WHEN j.why = 'gone' THEN 'gone' WHEN j.why IS NOT NULL THEN 'denied'
                     WHEN j.member_id IN (SELECT id FROM last_owner) THEN 'last_owner' ELSE 'removed' END AS what) AS d
ORDER BY j.pos
