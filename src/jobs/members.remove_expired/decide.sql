-- What is to happen to each membership: it goes, unless it is a last owner's, or is not over any more.
-- Fast because every table is looked up by primary key, and the rule about owners meets only the few owners of the page.
WITH RECURSIVE page AS MATERIALIZED (
  SELECT k.pos, k.id AS key, m.id AS member_id, m.user_id, m.source_type, m.source_id, m.access_level, m.expires_at,
         u.user_type, coalesce(n.traversal_ids[1], n.id) AS root_namespace_id, n.traversal_ids,
         m.expires_at <=
         -- include: cutoff.sql
         AS over,
         -- include: ../shared/owner_rule.sql
         AS owner
  FROM unnest(:key::bigint[]) WITH ORDINALITY AS k (id, pos)
  LEFT JOIN members m ON m.id = k.id
  LEFT JOIN users u ON u.id = m.user_id
  LEFT JOIN projects p ON m.source_type = 'Project' AND p.id = m.source_id
  LEFT JOIN namespaces n ON n.id = CASE m.source_type WHEN 'Project' THEN p.namespace_id ELSE m.source_id END
),
leaving AS MATERIALIZED (
  SELECT pos, member_id AS id, user_id, source_id AS group_id, coalesce(traversal_ids, '{}') || source_id AS groups
  FROM page WHERE owner AND over
),
gone AS (SELECT unnest(:gone::bigint[]) AS id),
-- include: ../shared/last_owner.sql
SELECT p.key, d.what,
       CASE d.what WHEN 'kept' THEN 'last_owner' WHEN 'not_expired' THEN 'not expired' END AS reason,
       p.member_id, p.user_id, p.user_type, p.source_type, p.source_id, p.root_namespace_id, p.access_level, p.expires_at
FROM page p
LEFT JOIN last_owner l ON l.id = p.member_id,
LATERAL (SELECT CASE WHEN p.member_id IS NULL THEN 'gone' WHEN p.over IS NOT TRUE THEN 'not_expired'
                     WHEN l.id IS NOT NULL THEN 'kept' ELSE 'removed' END AS what) AS d
ORDER BY p.pos
