-- One child for each group that is due; every group of the run counts for the spacing.
SELECT 'groups.destroy' AS job, pg_catalog.jsonb_build_object('group_id', c.group_id, 'user_id', c.user_id) AS args,
       c.group_id::text AS child_key, 'groups.destroy:' || c.group_id::text AS unique_key,
       :began_at::timestamptz + ((:index::bigint + c.position) * :setting.spacing_ms::bigint)::float8 * interval '1 ms' AS due_at,
       pg_catalog.jsonb_strip_nulls(pg_catalog.to_jsonb(x.*) - 'key') AS context
FROM unnest(:group_id::bigint[], :user_id::bigint[], :position::bigint[], :what::text[]) AS c (group_id, user_id, position, what)
LEFT JOIN (
  -- include: ../shared/group_context.sql
) AS x ON x.key = c.group_id
WHERE c.what = 'due'
ORDER BY c.group_id
