-- Parks the user's details that have used up their attempts as abandoned, so that they are not
-- forgotten. Their `state` is empty: imports.placeholder_cleanup/due_rule.sql alone decides when
-- such a detail is tried again. Fast by (placeholder_user_id).
INSERT INTO pruned.quarantine AS q (job, item, reason, attempts, parked, next_try_at, state)
SELECT 'imports.placeholder_cleanup', 'import_placeholder_user_details:' || d.id::text, 'abandoned: ' || :reason::text,
       d.deletion_attempts, true, now(), ''
FROM users u JOIN import_placeholder_user_details d ON d.placeholder_user_id = u.id
WHERE u.id = :user::bigint AND
-- include: abandoned_detail.sql
ORDER BY d.id
ON CONFLICT (job, item) DO UPDATE
SET reason = excluded.reason, attempts = excluded.attempts, parked = true, next_try_at = excluded.next_try_at, state = excluded.state
RETURNING q.item
