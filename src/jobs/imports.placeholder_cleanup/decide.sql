-- What becomes of each detail: an attempt is counted, the last one as such, unless a child is
-- already handling its user.
-- A user has one child a run, because the child's id comes from the user's. A second detail of that
-- user on a later page would use up an attempt without a child, so it waits for the next run; the
-- first is recognised by its time, which is this run's; or, if that has a later time already, by
-- this run's child. Fast by primary key, the unique key of unfinished runs, (placeholder_user_id)
-- and the parent of runs.
SELECT k.id AS key, c.what, CASE c.what WHEN 'waiting' THEN 'a run looks at its user already'
            WHEN 'gone' THEN NULL ELSE pg_catalog.format('attempt %s for user %s', d.deletion_attempts + 1, d.placeholder_user_id) END AS reason,
       d.placeholder_user_id, k.pos - 1 AS position, :setting.item_attempts::int AS most, d.deletion_attempts AS before
FROM pg_catalog.unnest(:key::bigint[]) WITH ORDINALITY AS k (id, pos)
LEFT JOIN import_placeholder_user_details d ON d.id = k.id,
LATERAL (SELECT CASE
    WHEN (
      -- include: due_rule.sql
    ) IS NOT TRUE THEN 'gone'
    WHEN EXISTS (
      SELECT FROM pruned.runs r
      WHERE r.unique_key IN ('users.delete_placeholder:' || d.placeholder_user_id::text, 'users.destroy:' || d.placeholder_user_id::text))
    OR EXISTS (
      SELECT FROM import_placeholder_user_details other
      WHERE other.placeholder_user_id = d.placeholder_user_id AND other.id <> d.id
        AND (other.last_deletion_attempt_at = :scheduled_at::timestamptz OR other.id = ANY (:gone::bigint[])
          OR other.last_deletion_attempt_at > :scheduled_at::timestamptz AND EXISTS (
            SELECT FROM pruned.runs r WHERE r.parent_id = :run_id::uuid AND r.job = 'users.delete_placeholder'
              AND r.args ->> 'placeholder_user_id' = d.placeholder_user_id::text)))
    THEN 'waiting'
    WHEN d.deletion_attempts = :setting.item_attempts::int - 1 THEN 'final'
    ELSE 'counted' END AS what OFFSET 0) AS c
ORDER BY k.pos
