-- Todos that have gone although their user sees their project or group: it is not private, or the
-- user is an administrator, has an authorization of the project, or has rights in the group, above
-- it, or below it. What says so was written before the run was asked for (`:seen`), so it did so
-- all the time.
WITH todo AS MATERIALIZED (
  SELECT g.n, (g.row).user_id, (g.row).project_id, CASE WHEN (g.row).project_id IS NULL THEN (g.row).group_id END AS group_id FROM pruned_gone g
),
old AS (SELECT pg_catalog.age(:seen::text::xid8::xid) AS age),
place AS MATERIALIZED (
  SELECT t.n, t.user_id, h.id AS group_id, pg_catalog.array_append(h.traversal_ids, h.id) AS line, pg_catalog.age(h.xmin) AS age
  FROM todo t JOIN namespaces h ON h.id = t.group_id
)
SELECT t.n, 'its user is an administrator' AS wrong, true AS sure
FROM todo t JOIN users u ON u.id = t.user_id WHERE u.admin AND pg_catalog.age(u.xmin) > (SELECT o.age FROM old o)
UNION ALL
SELECT t.n, pg_catalog.format('project %s is not private', t.project_id), true
FROM todo t JOIN projects p ON p.id = t.project_id WHERE p.visibility_level > 0 AND pg_catalog.age(p.xmin) > (SELECT o.age FROM old o)
UNION ALL
SELECT t.n, pg_catalog.format('group %s is not private', t.group_id), true
FROM todo t JOIN namespaces h ON h.id = t.group_id WHERE h.visibility_level > 0 AND pg_catalog.age(h.xmin) > (SELECT o.age FROM old o)
UNION ALL
SELECT t.n, pg_catalog.format('its user has an authorization of project %s', t.project_id), true
FROM todo t JOIN project_authorizations a ON a.user_id = t.user_id AND a.project_id = t.project_id WHERE pg_catalog.age(a.xmin) > (SELECT o.age FROM old o)
UNION ALL
SELECT p.n, pg_catalog.format('its user has rights in group %s, or above or below it', p.group_id), true
FROM place p
WHERE p.age > (SELECT o.age FROM old o)
  AND (EXISTS (SELECT FROM members m JOIN namespaces h ON h.id = m.source_id
               WHERE m.user_id = p.user_id AND m.source_type::text = 'Namespace' AND m.requested_at IS NULL AND coalesce(m.state, 0) = 0
                 AND (m.source_id = ANY (p.line) OR p.group_id = ANY (h.traversal_ids))
                 AND least(pg_catalog.age(m.xmin), pg_catalog.age(h.xmin)) > (SELECT o.age FROM old o))
       OR EXISTS (SELECT FROM project_authorizations a JOIN projects j ON j.id = a.project_id JOIN namespaces h ON h.id = j.namespace_id
                  WHERE a.user_id = p.user_id AND (h.id = p.group_id OR p.group_id = ANY (h.traversal_ids))
                    AND least(pg_catalog.age(a.xmin), pg_catalog.age(j.xmin), pg_catalog.age(h.xmin)) > (SELECT o.age FROM old o)))
