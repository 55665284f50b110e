-- Takes the job whose overdue rows were not looked for within the last minute, and for the longest
-- time; no row: there is none. `:job`, `:rule`: those of this process that have a deadline. A job
-- that no process has any more is taken by its last rule (`removed`). Two processes take none
-- twice: the second one waits for the row, and then leaves it.
WITH own AS (SELECT u.job, u.rule::jsonb AS rule FROM unnest(:job::text[], :rule::text[]) AS u (job, rule)),
alive AS MATERIALIZED (SELECT p.jobs FROM pruned.processes p WHERE p.seen_at > now() - :seconds::bigint::float8 * interval '1 s'),
next AS (
  SELECT n.job, n.rule, n.removed
  FROM (SELECT w.job, w.rule, false AS removed, o.taken_at, o.rule IS DISTINCT FROM w.rule AS fresh FROM own w LEFT JOIN pruned.overdue o ON o.job = w.job
        UNION ALL
        SELECT o.job, o.rule, true, o.taken_at, false FROM pruned.overdue o
        WHERE NOT o.job = ANY (:known::text[]) AND NOT EXISTS (SELECT FROM alive a WHERE a.jobs ? o.job)) AS n
  WHERE n.fresh OR n.taken_at < now() - interval '1 minute'
  ORDER BY n.taken_at NULLS FIRST, n.job LIMIT 1)
INSERT INTO pruned.overdue AS o (job, rule)
SELECT n.job, n.rule FROM next n
ON CONFLICT (job) DO UPDATE
SET rule = excluded.rule, taken_at = now(), had_at = CASE WHEN (SELECT n.removed FROM next n) THEN o.had_at ELSE now() END
WHERE o.rule <> excluded.rule OR o.taken_at < now() - interval '1 minute'
RETURNING o.job, o.rule, o.taken_at, (SELECT n.removed FROM next n) AS removed
