-- A project's bot is a user that exists for its membership only: it goes too, once.
SELECT DISTINCT ON (b.user_id) 'users.destroy' AS job,
       jsonb_build_object('user_id', b.user_id, 'reason', 'Membership expired') AS args,
       b.user_id::text AS child_key, 'users.destroy:' || b.user_id AS unique_key, NULL::timestamptz AS due_at
FROM unnest(:user_id::bigint[], :user_type::smallint[], :what::text[]) AS b (user_id, user_type, what)
WHERE b.what = 'removed' AND b.user_type = 6
ORDER BY b.user_id
