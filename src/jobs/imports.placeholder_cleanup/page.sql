-- Details without a namespace that were never tried, were last tried long ago, or were released
-- from quarantine, by id; for an event all of its user.
-- Fast because both halves read the index (deletion_attempts, last_deletion_attempt_at, id) of
-- details without a namespace. `never`: an ordered range for each number of attempts. `long_ago`:
-- the job's own runs leave few different times, so a skip scan reads these, and each pair of
-- attempts and time is an ordered range again. Only where another program left twenty or more
-- times, the whole range of a number is read. `below`: the numbers under zero, which only another
-- program leaves, one look-up each. -infinity, where `moment` begins, is a time like others.
-- Ordering by the time first, although it is the same in all rows of a range, shows the planner
-- that the index has the order.
WITH RECURSIVE below (n) AS (
  SELECT 0 WHERE :args::jsonb ->> 'placeholder_user_id' IS NULL
  UNION ALL
  SELECT next.n FROM below b, LATERAL (
    SELECT d.deletion_attempts::int AS n FROM import_placeholder_user_details d
    WHERE d.namespace_id IS NULL AND d.deletion_attempts < b.n
    ORDER BY d.deletion_attempts DESC LIMIT 1) AS next
),
number AS (
  SELECT n FROM pg_catalog.generate_series(0, :setting.item_attempts::int - 1) AS n WHERE :args::jsonb ->> 'placeholder_user_id' IS NULL
  UNION ALL
  SELECT n FROM below WHERE n < 0
),
moment (i, n, at) AS (
  SELECT 0, n, '-infinity'::timestamptz FROM number
  UNION ALL
  SELECT m.i + 1, m.n, next.at FROM moment m, LATERAL (
    SELECT d.last_deletion_attempt_at AS at FROM import_placeholder_user_details d
    WHERE d.namespace_id IS NULL AND d.deletion_attempts = m.n AND d.last_deletion_attempt_at > m.at
    ORDER BY d.last_deletion_attempt_at LIMIT 1) AS next
  WHERE m.i < 20
),
never AS (
  SELECT d.id FROM number, LATERAL (
    SELECT d.id FROM import_placeholder_user_details d
    WHERE d.namespace_id IS NULL AND d.deletion_attempts = number.n AND d.last_deletion_attempt_at IS NULL
      AND d.id > :cursor.id::bigint
    ORDER BY d.last_deletion_attempt_at, d.id LIMIT :limit::int) AS d
),
long_ago AS (
  SELECT d.id FROM moment m, LATERAL (
    SELECT d.id FROM import_placeholder_user_details d
    WHERE d.namespace_id IS NULL AND d.deletion_attempts = m.n AND d.last_deletion_attempt_at = m.at AND d.id > :cursor.id::bigint
    ORDER BY d.id LIMIT :limit::int) AS d
  WHERE (SELECT pg_catalog.max(i) FROM moment) < 20 AND m.at <
  -- include: cutoff.sql
  UNION ALL
  SELECT d.id FROM number, LATERAL (
    SELECT d.id FROM import_placeholder_user_details d
    WHERE d.namespace_id IS NULL AND d.deletion_attempts = number.n AND d.id > :cursor.id::bigint AND d.last_deletion_attempt_at <
    -- include: cutoff.sql
    OFFSET 0) AS d
  WHERE (SELECT pg_catalog.max(i) FROM moment) = 20
),
of_event AS (
  SELECT d.id FROM import_placeholder_user_details d
  WHERE d.placeholder_user_id = (:args::jsonb ->> 'placeholder_user_id')::bigint
    AND d.namespace_id IS NULL AND d.deletion_attempts < :setting.item_attempts::int AND d.id > :cursor.id::bigint
),
retried AS (
  SELECT d.id FROM pruned.quarantine q JOIN import_placeholder_user_details d ON d.id = pg_catalog.split_part(q.item, ':', 2)::bigint
  WHERE q.job = :job::text AND d.namespace_id IS NULL AND d.id > :cursor.id::bigint AND NOT
    -- include: ../../engine/step/sql/quarantine_waits.sql
    AND :args::jsonb ->> 'placeholder_user_id' IS NULL
)
SELECT id AS key, id FROM (
  SELECT id FROM never UNION ALL SELECT id FROM long_ago UNION ALL SELECT id FROM of_event
  UNION ALL SELECT id FROM retried WHERE id NOT IN (SELECT id FROM never UNION ALL SELECT id FROM long_ago)) AS d
ORDER BY id
LIMIT :limit::int
