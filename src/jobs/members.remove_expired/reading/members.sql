-- Memberships that the rule does not take: the last day is not over, or the group has lost its last
-- owner who is an active person. Owners are read as they are now, which is sure only soon after the
-- run; those that the run has taken later are in the audit. At the end somebody must be left, and
-- whoever went must have had another person beside them.
WITH owner AS MATERIALIZED (
  SELECT g.n, g.at, (g.row).user_id, (g.row).source_id, s.traversal_ids
  FROM pruned_gone g
  JOIN users u ON u.id = (g.row).user_id AND u.state = 'active' AND u.user_type = 0
  JOIN namespaces s ON s.id = (g.row).source_id AND s.type = 'Group'
  WHERE (g.row).source_type = 'Namespace' AND (g.row).access_level = 50 AND (g.row).requested_at IS NULL AND coalesce((g.row).state, 0) = 0
),
standing AS MATERIALIZED (
  SELECT o.n, m.user_id
  FROM owner o
  JOIN members m ON m.source_type = 'Namespace' AND m.type IN ('GroupMember', 'ProjectMember') AND m.source_id = ANY (o.traversal_ids || o.source_id)
  JOIN users u ON u.id = m.user_id
  WHERE m.access_level = 50 AND m.requested_at IS NULL AND coalesce(m.state, 0) = 0 AND u.state = 'active' AND u.user_type = 0
)
SELECT g.n, pg_catalog.format('its last day is not over: expires_at is %s', coalesce((g.row).expires_at::text, 'null')) AS wrong, true AS sure
FROM pruned_gone g
WHERE ((g.row).expires_at <= least(greatest((:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date, (:args::jsonb ->> 'expires_at')::date),
                                   (g.at AT TIME ZONE 'UTC')::date)) IS NOT TRUE
UNION ALL
SELECT o.n, pg_catalog.format('group %s has no owner left who is an active person', o.source_id), :soon::boolean
FROM owner o
WHERE NOT EXISTS (SELECT FROM standing s WHERE s.n = o.n)
UNION ALL
SELECT o.n, pg_catalog.format('group %s had no other owner who is an active person', o.source_id), :soon::boolean
FROM owner o
WHERE NOT EXISTS (SELECT FROM standing s WHERE s.n = o.n AND s.user_id <> o.user_id)
  AND NOT EXISTS (SELECT FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.rows) AS e (json)
                  JOIN users u ON u.id = (e.json ->> 'user_id')::bigint AND u.state = 'active' AND u.user_type = 0
                  WHERE d.run_id = :run_id::uuid AND d.table_name = 'members' AND d.at >= o.at AND (e.json ->> 'access_level')::bigint = 50
                    AND e.json ->> 'source_type' = 'Namespace' AND (e.json ->> 'source_id')::bigint = ANY (o.traversal_ids || o.source_id)
                    AND e.json ->> 'requested_at' IS NULL AND coalesce((e.json ->> 'state')::int, 0) = 0 AND (e.json ->> 'user_id')::bigint <> o.user_id)
