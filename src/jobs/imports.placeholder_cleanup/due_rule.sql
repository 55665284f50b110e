-- Detail `d` counts an attempt: it cannot be claimed, attempts are left, and the last one is long
-- ago. An event does not wait, nor does a detail that was released from quarantine or has been
-- parked there for long enough.
d.namespace_id IS NULL AND (
  d.deletion_attempts < :setting.item_attempts::int
    AND (d.last_deletion_attempt_at IS NULL OR :args::jsonb ->> 'placeholder_user_id' IS NOT NULL OR d.last_deletion_attempt_at <
         -- include: cutoff.sql
        )
  OR EXISTS (SELECT FROM pruned.quarantine q
             WHERE q.job = :job::text AND q.item = 'import_placeholder_user_details:' || d.id::text AND NOT
               -- include: ../../engine/step/sql/quarantine_waits.sql
            ))
