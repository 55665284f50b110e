-- Rows whose key is NULL only move the cursor. The argument `last`, if given, is the last row.
SELECT NULL::bigint AS key, greatest(:cursor.n::bigint, 0) + i AS n
FROM generate_series(1, :limit::int) AS i
WHERE greatest(:cursor.n::bigint, 0) + i <= coalesce((:args::jsonb->>'last')::bigint, 9223372036854775807)
ORDER BY n
