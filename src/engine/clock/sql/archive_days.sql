-- Makes the partitions, one per day, that the next page of the archive needs. One process at a time
-- archives, so that it moves the rows that were read here.
WITH turn AS MATERIALIZED (SELECT pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtext('pruned.archive')) AS mine)
SELECT mine, CASE WHEN mine THEN (
  SELECT pg_catalog.count(pruned.ensure_day('runs_done', d.day)::text) FROM (
    SELECT DISTINCT (old.scheduled_at AT TIME ZONE 'UTC')::date AS day FROM (
      SELECT r.scheduled_at FROM pruned.runs r
      WHERE
      -- include: archivable.sql
      ORDER BY r.finished_at
      LIMIT 1000) AS old) AS d) END AS days
FROM turn
