-- One child for each user, spaced by the position of its first detail in the whole run; at once for
-- an event.
SELECT DISTINCT ON (c.user_id) 'users.delete_placeholder' AS job, pg_catalog.jsonb_build_object('placeholder_user_id', c.user_id) AS args,
       c.user_id::text AS child_key, 'users.delete_placeholder:' || c.user_id::text AS unique_key,
       CASE WHEN :args::jsonb ->> 'placeholder_user_id' IS NULL
         THEN :began_at::timestamptz + ((:index::bigint + c.position) * :setting.spacing_ms::bigint)::float8 * interval '1 ms' END AS due_at,
       pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('user', (SELECT u.username FROM users u WHERE u.id = c.user_id))) AS context
FROM unnest(:placeholder_user_id::bigint[], :position::bigint[], :what::text[]) AS c (user_id, position, what)
WHERE c.what IN ('counted', 'final')
ORDER BY c.user_id, c.position
