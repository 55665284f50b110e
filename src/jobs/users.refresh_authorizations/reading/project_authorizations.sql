-- Authorizations that have gone although something gives just this level, and nothing a higher one.
-- What gives it was written before the run was asked for (`:seen`), so it did so all the time: a
-- membership of the project, of its group or of one above; a share of such a group, for direct
-- members of the group that it is shared with; a link of the project to a group, for all who have
-- rights in it; the personal namespace that the project is in. What gave a higher level may have
-- gone since: then the user has another authorization of the project now.
WITH pair AS MATERIALIZED (
  SELECT g.n, g.at, (g.row).user_id, (g.row).project_id, (g.row).access_level FROM pruned_gone g
),
place AS MATERIALIZED (
  SELECT p.n, p.at, p.user_id, j.id AS project_id, h.id AS group_id, h.type::text AS type, h.owner_id,
         CASE h.type::text WHEN 'Group' THEN pg_catalog.array_append(h.traversal_ids, h.id) END AS line,
         coalesce((pg_catalog.to_jsonb(h) ->> 'share_with_group_lock')::boolean, false) AS locked, least(pg_catalog.age(j.xmin), pg_catalog.age(h.xmin)) AS age
  FROM pair p JOIN projects j ON j.id = p.project_id JOIN namespaces h ON h.id = j.namespace_id
),
door AS MATERIALIZED (
  SELECT p.n, p.at, p.user_id, d.id AS group_id, 50 AS most, p.age FROM place p CROSS JOIN LATERAL pg_catalog.unnest(p.line) AS d (id)
  UNION
  SELECT p.n, p.at, p.user_id, d.id, l.group_access, least(p.age, pg_catalog.age(l.xmin), pg_catalog.age(i.xmin))
  FROM place p JOIN project_group_links l ON l.project_id = p.project_id JOIN namespaces i ON i.id = l.group_id
  CROSS JOIN LATERAL pg_catalog.unnest(CASE i.type::text WHEN 'Group' THEN pg_catalog.array_append(i.traversal_ids, i.id) ELSE ARRAY[i.id] END) AS d (id)
  WHERE NOT p.locked AND (l.expires_at IS NULL OR l.expires_at > greatest((:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date, (p.at AT TIME ZONE 'UTC')::date))
),
way (n, level, age) AS (
  SELECT d.n, least(m.access_level, d.most), least(d.age, pg_catalog.age(m.xmin), pg_catalog.age(h.xmin))
  FROM door d JOIN namespaces h ON h.id = d.group_id
  JOIN members m ON m.user_id = d.user_id AND m.source_id = d.group_id AND m.source_type::text = 'Namespace'
  WHERE m.requested_at IS NULL AND coalesce(m.state, 0) = 0
  UNION ALL
  SELECT d.n, least(m.access_level, s.group_access, d.most), least(d.age, pg_catalog.age(m.xmin), pg_catalog.age(s.xmin), pg_catalog.age(h.xmin), pg_catalog.age(w.xmin))
  FROM door d JOIN namespaces h ON h.id = d.group_id
  JOIN group_group_links s ON s.shared_group_id = d.group_id JOIN namespaces w ON w.id = s.shared_with_group_id
  JOIN members m ON m.user_id = d.user_id AND m.source_id = s.shared_with_group_id AND m.source_type::text = 'Namespace'
  WHERE m.requested_at IS NULL AND coalesce(m.state, 0) = 0
    AND (s.expires_at IS NULL OR s.expires_at > greatest((:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date, (d.at AT TIME ZONE 'UTC')::date))
  UNION ALL
  SELECT p.n, m.access_level, least(p.age, pg_catalog.age(m.xmin))
  FROM place p JOIN members m ON m.user_id = p.user_id AND m.source_id = p.project_id AND m.source_type::text = 'Project'
  WHERE m.requested_at IS NULL AND coalesce(m.state, 0) = 0
  UNION ALL
  SELECT p.n, 50, p.age FROM place p WHERE p.type = 'User' AND p.owner_id = p.user_id
)
SELECT p.n, pg_catalog.format('its user still has level %s in project %s', p.access_level, p.project_id) AS wrong, true AS sure
FROM pair p
WHERE p.access_level > 5
  AND EXISTS (SELECT FROM way w WHERE w.n = p.n AND w.level = p.access_level AND w.age > pg_catalog.age(:seen::text::xid8::xid))
  AND NOT EXISTS (SELECT FROM way w WHERE w.n = p.n AND w.level > p.access_level)
  AND NOT EXISTS (SELECT FROM project_authorizations a WHERE a.user_id = p.user_id AND a.project_id = p.project_id AND a.access_level >= p.access_level)
  AND EXISTS (SELECT FROM users u WHERE u.id = p.user_id)
