-- Marks that were not due: of the group that the run is about, and of groups below it, which go
-- with it. The period is read as it is now.
SELECT g.n, 'its period was not over' AS wrong, :soon::boolean AS sure
FROM pruned_gone g
WHERE (g.row).group_id = (:args::jsonb ->> 'group_id')::bigint
  AND (g.row).marked_for_deletion_on > (:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date
      - (SELECT s.deletion_adjourned_period FROM application_settings s ORDER BY s.id DESC LIMIT 1)
UNION ALL
SELECT g.n, 'its group is not the one that the run is about, nor below it', true
FROM pruned_gone g
WHERE (g.row).group_id <> (:args::jsonb ->> 'group_id')::bigint
  AND (g.row).group_id NOT IN (
    SELECT (e.json ->> 'id')::bigint FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.rows) AS e (json)
    WHERE d.run_id = :run_id::uuid AND d.table_name = 'namespaces')
  AND NOT EXISTS (SELECT FROM namespaces n WHERE n.id = (g.row).group_id AND (:args::jsonb ->> 'group_id')::bigint = ANY (n.traversal_ids))
