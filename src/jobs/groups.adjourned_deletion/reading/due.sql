-- Marks whose period was over before the run began, and of which nothing became: no deletion was
-- begun, and they were not taken off. Not of groups whose deletion is in progress, whose line is
-- not that of their parents, or while rows are held, as these may lie below one. What a transaction
-- of these minutes has written (`:seen`) says nothing about then. Marks are few.
SELECT 'group_deletion_schedules' AS tab, s.group_id::text AS key, 'its period is over, and nothing has become of it' AS wrong
FROM group_deletion_schedules s
JOIN namespaces n ON n.id = s.group_id AND n.type::text = 'Group'
JOIN (SELECT deletion_adjourned_period AS days, xmin FROM application_settings ORDER BY id DESC LIMIT 1) AS p ON pg_catalog.age(p.xmin) > pg_catalog.age(:seen::text::xid8::xid)
WHERE s.marked_for_deletion_on <= (:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date - p.days
  AND pg_catalog.age(s.xmin) > pg_catalog.age(:seen::text::xid8::xid)
  AND NOT EXISTS (SELECT FROM pruned.holds)
  AND NOT EXISTS (SELECT FROM namespace_details d WHERE d.namespace_id = n.id AND d.deleted_at IS NOT NULL)
  AND n.traversal_ids[pg_catalog.cardinality(n.traversal_ids)] = n.id
  AND NOT EXISTS (SELECT FROM pg_catalog.unnest(n.traversal_ids) WITH ORDINALITY AS t (id, i) LEFT JOIN namespaces a ON a.id = t.id
                  WHERE a.id IS NULL OR a.type::text <> 'Group' OR a.parent_id IS DISTINCT FROM n.traversal_ids[t.i - 1] OR pg_catalog.age(a.xmin) <= pg_catalog.age(:seen::text::xid8::xid))
  AND NOT EXISTS (SELECT FROM pruned.runs r WHERE r.parent_id = :run_id::uuid AND r.job = 'groups.destroy' AND r.args ->> 'group_id' = s.group_id::text)
  AND NOT EXISTS (SELECT FROM pruned.runs_done r WHERE r.parent_id = :run_id::uuid AND r.job = 'groups.destroy' AND r.args ->> 'group_id' = s.group_id::text)
  AND NOT EXISTS (SELECT FROM pruned.runs r WHERE r.unique_key = pg_catalog.concat('groups.destroy:', s.group_id))
