-- Common table expressions for the groups k (id, pos), which the statement has before: their marks,
-- and the rights of the users who set them. It reads after them:
--   page (key, group_id, marked, over, in_progress, in_line, user_id, ...)  in_line: traversal_ids are the line of groups down to it
--   rights (ask, active, level)                                            by key (rights.sql)
-- Fast by primary and unique keys.
page AS MATERIALIZED (
  SELECT k.pos, k.id AS key, n.id AS group_id, n.name, n.path, n.traversal_ids, s.user_id, s.group_id IS NOT NULL AS marked, s.marked_for_deletion_on,
         s.marked_for_deletion_on <=
         -- include: group_cutoff.sql
         AS over,
         d.deleted_at IS NOT NULL AS in_progress, u.username, u.state, coalesce(r.path, n.path) AS full_path, r.name AS full_name,
         (SELECT count(*) FROM pg_catalog.unnest(n.traversal_ids) WITH ORDINALITY AS t (id, i) JOIN namespaces a ON a.id = t.id
          WHERE a.type::text = 'Group' AND a.parent_id IS NOT DISTINCT FROM n.traversal_ids[t.i - 1]) = pg_catalog.cardinality(n.traversal_ids)
           AND n.traversal_ids[pg_catalog.cardinality(n.traversal_ids)] = n.id AS in_line
  FROM k
  LEFT JOIN namespaces n ON n.id = k.id AND n.type::text = 'Group'
  LEFT JOIN group_deletion_schedules s ON s.group_id = n.id
  LEFT JOIN namespace_details d ON d.namespace_id = n.id
  LEFT JOIN users u ON u.id = s.user_id
  LEFT JOIN routes r ON r.source_type::text = 'Namespace' AND r.source_id = n.id
),
asked AS (SELECT key AS ask, user_id AS actor_id, traversal_ids AS groups, NULL::bigint AS project_id FROM page),
gone AS (SELECT NULL::bigint AS id WHERE false),
-- include: rights.sql
