-- What becomes of each group, and when its child is due, counted from the first group of the whole
-- run.
SELECT d.key, CASE WHEN d.what = 'due' AND EXISTS (SELECT FROM pruned.runs r WHERE r.unique_key = 'groups.destroy:' || d.key::text)
                   THEN 'waiting' ELSE d.what END AS what,
       d.reason, d.position, d.group_id, d.user_id, d."user", d.namespace, d.depth, d.name, d.path, d.was_path, d.full_path,
       d.was_name, d.full_name, d.restored_by,
       (:index::bigint + d.position) * :setting.spacing_ms::bigint / 1000 AS delay_s
FROM (
  -- include: ../shared/group_decision.sql
) AS d
ORDER BY d.position
