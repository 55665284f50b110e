-- Memberships whose last day was over before the run began, and that are still there. An owner of a
-- group who is an active person may stay as the last one: they count only if another one stood
-- beside them all the time, whose own membership lasts. What a transaction of these minutes has
-- written (`:seen`) says nothing about then. Fast by the index on expires_at.
SELECT 'members' AS tab, m.id::text AS key, pg_catalog.format('its last day was %s, and it is still there', m.expires_at) AS wrong
FROM members m
WHERE m.expires_at <= (:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date AND pg_catalog.age(m.xmin) > pg_catalog.age(:seen::text::xid8::xid)
  AND NOT :args::jsonb ?| ARRAY['cursor', 'member_id', 'expires_at']
  AND ((m.source_type::text = 'Namespace' AND m.access_level = 50 AND m.requested_at IS NULL AND coalesce(m.state, 0) = 0 AND m.user_id IS NOT NULL) IS NOT TRUE
       OR EXISTS (SELECT FROM users u WHERE u.id = m.user_id AND (u.state::text <> 'active' OR u.user_type <> 0) AND pg_catalog.age(u.xmin) > pg_catalog.age(:seen::text::xid8::xid))
       OR EXISTS (SELECT FROM namespaces n JOIN members o ON o.source_type::text = 'Namespace' AND o.type::text = 'GroupMember' AND o.source_id = ANY (pg_catalog.array_append(n.traversal_ids, n.id))
                  JOIN users u ON u.id = o.user_id
                  WHERE n.id = m.source_id AND n.type::text = 'Group' AND o.user_id <> m.user_id AND o.access_level = 50 AND o.requested_at IS NULL AND coalesce(o.state, 0) = 0
                    AND (o.expires_at IS NULL OR o.expires_at > (:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date)
                    AND u.state::text = 'active' AND u.user_type = 0
                    AND least(pg_catalog.age(n.xmin), pg_catalog.age(o.xmin), pg_catalog.age(u.xmin)) > pg_catalog.age(:seen::text::xid8::xid)))
