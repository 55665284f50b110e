-- A run that is dead or was discarded makes no further attempt: parks details that had their last
-- attempt (abandoned.sql). Of runs of users.destroy those that a placeholder was handed to.
INSERT INTO pruned.quarantine AS q (job, item, reason, attempts, parked, next_try_at, state)
SELECT 'imports.placeholder_cleanup', 'import_placeholder_user_details:' || d.id::text, 'abandoned: ' || :error::text,
       d.deletion_attempts, true, now(), ''
FROM users u JOIN import_placeholder_user_details d ON d.placeholder_user_id = u.id
WHERE :state::text IN ('dead', 'skipped') AND (:args::jsonb ->> 'reason' = 'Placeholder user'
       OR (:args::jsonb ->> 'reason' IS NULL AND :args::jsonb ->> 'placeholder_user_id' IS NOT NULL))
  AND u.id = coalesce(:args::jsonb ->> 'placeholder_user_id', :args::jsonb ->> 'user_id')::bigint AND
-- include: abandoned_detail.sql
ORDER BY d.id
ON CONFLICT (job, item) DO UPDATE
SET reason = excluded.reason, attempts = excluded.attempts, parked = true, next_try_at = excluded.next_try_at, state = excluded.state
RETURNING q.item
