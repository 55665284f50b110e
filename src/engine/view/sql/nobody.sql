-- Whether a running process would do a run of `:job` now. No row: one has the job. `none`: none
-- runs at all.
SELECT p.n = 0 AS none
FROM (SELECT count(*) AS n, count(*) FILTER (WHERE p.jobs ? :job::text) AS having
      FROM pruned.processes p WHERE p.seen_at > now() - :seconds::bigint::float8 * interval '1 s') AS p
WHERE p.having = 0
