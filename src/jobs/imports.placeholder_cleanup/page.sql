-- Details without a namespace that were never tried, or were last tried long ago, by id; for an event all of its user.
-- Fast because both halves read the index (deletion_attempts, last_deletion_attempt_at, id) of details without a namespace.
-- `never`: an ordered range for each number of attempts. `long_ago`: our own runs leave few different times, so these are
-- skipped along, and each pair of attempts and time is an ordered range again; where somebody else left a hundred or more
-- of them, the rest of each number's range is read. Ordering by the time first, though it is the same in all rows of a
-- range, tells the planner that the index has the order.
WITH RECURSIVE moment (i, n, at) AS (
  SELECT 0, -1, '-infinity'::timestamptz
  UNION ALL
  SELECT m.i + 1, next.deletion_attempts, next.last_deletion_attempt_at
  FROM moment m, LATERAL (
    (SELECT d.deletion_attempts, d.last_deletion_attempt_at FROM import_placeholder_user_details d
     WHERE d.namespace_id IS NULL AND d.deletion_attempts = m.n AND d.last_deletion_attempt_at > m.at
     ORDER BY d.last_deletion_attempt_at LIMIT 1)
    UNION ALL
    (SELECT d.deletion_attempts, d.last_deletion_attempt_at FROM import_placeholder_user_details d
     WHERE d.namespace_id IS NULL AND d.deletion_attempts > m.n AND d.deletion_attempts < :setting.item_attempts::int
       AND d.last_deletion_attempt_at > '-infinity'
     ORDER BY d.deletion_attempts, d.last_deletion_attempt_at LIMIT 1)
    LIMIT 1) AS next
  WHERE m.i < 100 AND :args::jsonb ->> 'placeholder_user_id' IS NULL
),
number AS (SELECT n FROM generate_series(0, :setting.item_attempts::int - 1) AS n WHERE :args::jsonb ->> 'placeholder_user_id' IS NULL),
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
  WHERE (SELECT max(i) FROM moment) < 100 AND m.i > 0 AND m.at <
  -- include: cutoff.sql
  UNION ALL
  SELECT d.id FROM number, LATERAL (
    SELECT d.id FROM import_placeholder_user_details d
    WHERE d.namespace_id IS NULL AND d.deletion_attempts = number.n AND d.id > :cursor.id::bigint AND d.last_deletion_attempt_at <
    -- include: cutoff.sql
    OFFSET 0) AS d
  WHERE (SELECT max(i) FROM moment) = 100
),
of_event AS (
  SELECT d.id FROM import_placeholder_user_details d
  WHERE d.placeholder_user_id = (:args::jsonb ->> 'placeholder_user_id')::bigint
    AND d.namespace_id IS NULL AND d.deletion_attempts < :setting.item_attempts::int AND d.id > :cursor.id::bigint
)
SELECT id AS key, id FROM (
  SELECT id FROM never UNION ALL SELECT id FROM long_ago UNION ALL SELECT id FROM of_event) AS d
ORDER BY id
LIMIT :limit::int
