-- Schedules that have gone although a membership which they name, and which can go, is left: the
-- user has one in the hierarchy now, and the audit has none of theirs of this run, nor did the run
-- deny one: nothing was looked at. Sure never: a membership can be new.
SELECT g.n, 'memberships of its user are left in the hierarchy, and none has gone' AS wrong, false AS sure
FROM pruned_gone g JOIN namespaces n ON n.id = (g.row).namespace_id
WHERE EXISTS (SELECT FROM members m JOIN namespaces s ON s.id = m.source_id
              WHERE m.user_id = (g.row).user_id AND m.requested_at IS NULL AND m.source_type = 'Namespace' AND s.traversal_ids[1] = n.traversal_ids[1]
                AND m.created_at < g.at)
  AND coalesce((SELECT (r.result ->> 'denied')::bigint FROM pruned.runs r WHERE r.run_id = :run_id::uuid), 0) = 0
  AND NOT EXISTS (SELECT FROM pruned.deletions d WHERE d.run_id = :run_id::uuid AND d.table_name = 'members'
                  AND d.rows @> pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object('user_id', (g.row).user_id)))
