-- Parks the user's details that have used up their attempts as abandoned, so that they are not
-- forgotten. Fast by (placeholder_user_id).
INSERT INTO pruned.quarantine AS q (job, item, reason, attempts, parked, next_try_at)
SELECT 'imports.placeholder_cleanup', 'import_placeholder_user_details:' || d.id::text, 'abandoned: ' || :reason::text,
       d.deletion_attempts, true, now()
FROM import_placeholder_user_details d
WHERE d.placeholder_user_id = :user::bigint AND d.namespace_id IS NULL AND d.deletion_attempts >= :setting.imports.placeholder_cleanup.item_attempts::int
ORDER BY d.id
ON CONFLICT (job, item) DO UPDATE
SET reason = excluded.reason, attempts = excluded.attempts, parked = true, next_try_at = excluded.next_try_at
RETURNING q.item
