-- Users with a due request, the oldest first. A user with two requests is one key; the second row
-- only advances the cursor. Read without a lock. Fast by (due_at, user_id, kind).
SELECT CASE WHEN row_number() OVER (PARTITION BY d.user_id ORDER BY d.due_at, d.kind) = 1 THEN d.user_id END AS key,
       d.due_at, d.user_id, d.kind
FROM (SELECT due_at, user_id, kind FROM pruned.dirty_users
      WHERE due_at <= now()
        AND (due_at, user_id, kind) > (:cursor.due_at::timestamptz, :cursor.user_id::bigint, :cursor.kind::text)
      ORDER BY due_at, user_id, kind LIMIT :limit::int) AS d
ORDER BY d.due_at, d.user_id, d.kind
