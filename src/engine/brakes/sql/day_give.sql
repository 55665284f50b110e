-- Gives a transaction its rows, and its process a part of what is left for later transactions. No
-- row: fewer rows are left, or the last count is too old.
UPDATE pruned.days d
SET given = d.given + :rows::bigint + (:most::bigint - d.given - :rows::bigint) / :parts::bigint,
    portion = (:most::bigint - d.given - :rows::bigint) / :parts::bigint
WHERE d.job = :job::text AND d.given + :rows::bigint <= :most::bigint
  AND d.counted_at > clock_timestamp() - :fresh_us::bigint::float8 * interval '1 microsecond'
RETURNING d.label::text || ' ' || pg_catalog.pg_postmaster_start_time()::text AS label, d.portion,
          (extract(epoch FROM clock_timestamp() - d.counted_at) * 1000000.0)::bigint AS age_us
