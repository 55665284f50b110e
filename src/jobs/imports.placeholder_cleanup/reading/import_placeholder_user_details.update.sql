-- Details whose attempt was counted although they are not due: they belong to a namespace, have had
-- all attempts (`item_attempts`), or were tried within two days (`retry_after_ms`) before T. What
-- an event names is counted without the two days, and is of its user. A detail that was in
-- quarantine comes again at other times, too; its entry can be gone since, and only one that had
-- all attempts is sure to have had one.
SELECT g.n, x.wrong, x.sure
FROM pruned_gone g CROSS JOIN LATERAL (
  SELECT CASE WHEN (g.row).namespace_id IS NOT NULL THEN 'it belongs to a namespace'
              WHEN :args::jsonb ? 'placeholder_user_id' AND (g.row).placeholder_user_id IS DISTINCT FROM (:args::jsonb ->> 'placeholder_user_id')::bigint
              THEN 'it is of another user than the event names'
              WHEN (g.row).deletion_attempts >= :setting.item_attempts::int THEN 'it had all attempts'
              WHEN NOT :args::jsonb ? 'placeholder_user_id' AND (g.row).last_deletion_attempt_at >= :scheduled_at::timestamptz - :setting.retry_after_ms::bigint * interval '1 millisecond'
              THEN 'it was tried within two days' END AS wrong,
         (g.row).namespace_id IS NOT NULL
         OR (g.row).deletion_attempts < :setting.item_attempts::int
            AND NOT EXISTS (SELECT FROM pruned.quarantine q WHERE q.item = 'import_placeholder_user_details:' || g.key) AS sure) AS x
WHERE x.wrong IS NOT NULL
