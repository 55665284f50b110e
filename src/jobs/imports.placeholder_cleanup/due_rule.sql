-- Detail `d` counts an attempt: nobody can claim it, tries are left, and the last one is long ago; an event does not wait.
d.namespace_id IS NULL AND d.deletion_attempts < :setting.item_attempts::int
  AND (d.last_deletion_attempt_at IS NULL OR :args::jsonb ->> 'placeholder_user_id' IS NOT NULL OR d.last_deletion_attempt_at <
       -- include: cutoff.sql
      )
