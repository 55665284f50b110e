-- What becomes of each membership: it is removed, unless it is a last owner's or has not expired.
-- Fast because every table is looked up by primary key, and the rule about owners reads only the
-- few owners of the page. A project's root is that of its own namespace, which the membership
-- names; otherwise the project names it. `place`: where apply finds the row without another
-- look-up.
WITH RECURSIVE page AS MATERIALIZED (
  SELECT k.pos, k.id AS key, m.id AS member_id, m.user_id, m.source_type, m.source_id, m.access_level, m.expires_at,
         m.requested_at IS NOT NULL OR coalesce(m.state, 0) <> 0 AS asking, u.user_type, m.ctid AS place, n.id AS namespace_id,
         n.traversal_ids,
         m.expires_at <=
         -- include: cutoff.sql
         AS over,
         -- include: ../shared/owner_rule.sql
         AS owner
  FROM pg_catalog.unnest(:key::bigint[]) WITH ORDINALITY AS k (id, pos)
  LEFT JOIN members m ON m.id = k.id
  LEFT JOIN users u ON u.id = m.user_id
  LEFT JOIN namespaces n ON n.id = CASE m.source_type::text WHEN 'Project' THEN m.member_namespace_id ELSE m.source_id END
),
leaving AS MATERIALIZED (
  SELECT pos, member_id AS id, user_id, source_id AS group_id, coalesce(traversal_ids, '{}') OPERATOR(pg_catalog.||) source_id AS groups
  FROM page WHERE owner AND over AND namespace_id IS NOT NULL
),
gone AS (SELECT pg_catalog.unnest(:gone::bigint[]) AS id),
-- include: ../shared/last_owner.sql
SELECT p.key, d.what,
       CASE d.what WHEN 'kept' THEN 'last_owner' WHEN 'not_expired' THEN 'not expired' END AS reason,
       p.key AS member_id, p.user_id, p.user_type, p.source_type, p.source_id, p.access_level, p.expires_at, p.asking, p.place,
       coalesce(p.traversal_ids[1], CASE p.source_type::text
         WHEN 'Project' THEN (SELECT coalesce(n.traversal_ids[1], n.id)
                              FROM projects o JOIN namespaces n ON n.id = o.namespace_id WHERE o.id = p.source_id)
         ELSE p.source_id END) AS root_namespace_id
FROM page p,
LATERAL (SELECT CASE WHEN p.member_id IS NULL THEN 'gone' WHEN p.over IS NOT TRUE THEN 'not_expired'
                     WHEN p.member_id IN (SELECT id FROM last_owner) THEN 'kept' ELSE 'removed' END AS what) AS d
ORDER BY p.pos
