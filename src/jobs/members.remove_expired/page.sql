-- Memberships whose last day is over, newest first, so that rows that can never be removed collect
-- at the end. Fast because (expires_at, id) is read backwards from the cursor and stops at the
-- limit. `:until`: where a range of the run ends.
SELECT m.id AS key, m.expires_at, m.id
FROM members m
WHERE (m.expires_at, m.id) < (:cursor.expires_at::date, :cursor.id::bigint)
  AND (m.expires_at, m.id) >= (coalesce(:until.expires_at::date, '-infinity'), coalesce(:until.id::bigint, -9223372036854775808))
  AND m.expires_at <=
  -- include: cutoff.sql
ORDER BY m.expires_at DESC, m.id DESC
LIMIT :limit::int
