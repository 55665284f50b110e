-- Details that were due before the run began, and whose attempt was not counted. Not those of which
-- a run of their user was under way meanwhile, nor of users with two details, of which one waits.
-- What a transaction of these minutes has written (`:seen`) says nothing about then: a count of
-- these minutes neither. Not asked once the run is in the archive, where runs of users are not
-- found by their user. Fast by the index on attempts.
SELECT 'import_placeholder_user_details' AS tab, d.id::text AS key, 'it is due, and no attempt was counted' AS wrong
FROM import_placeholder_user_details d
WHERE d.namespace_id IS NULL AND d.deletion_attempts < :setting.item_attempts::int
  AND (d.last_deletion_attempt_at IS NULL OR d.last_deletion_attempt_at < :scheduled_at::timestamptz - :setting.retry_after_ms::float8 * interval '1 millisecond')
  AND NOT :args::jsonb ? 'placeholder_user_id' AND pg_catalog.age(d.xmin) > pg_catalog.age(:seen::text::xid8::xid)
  AND NOT EXISTS (SELECT FROM import_placeholder_user_details o WHERE o.placeholder_user_id = d.placeholder_user_id AND o.id <> d.id)
  AND NOT EXISTS (SELECT FROM pruned.runs r WHERE r.unique_key IN (pg_catalog.concat('users.delete_placeholder:', d.placeholder_user_id), pg_catalog.concat('users.destroy:', d.placeholder_user_id)))
  AND EXISTS (SELECT FROM pruned.runs o WHERE o.run_id = :run_id::uuid)
  AND NOT EXISTS (SELECT FROM pruned.runs r WHERE r.job IN ('users.delete_placeholder', 'users.destroy')
                  AND r.finished_at > (SELECT o.created_at FROM pruned.runs o WHERE o.run_id = :run_id::uuid)
                  AND d.placeholder_user_id::text IN (r.args ->> 'placeholder_user_id', r.args ->> 'user_id'))
