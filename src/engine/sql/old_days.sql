-- Up to which day audit and archive go. What is older than it is kept for goes as a whole; but a clock may be wrong: a day goes only if
-- it is that old by the newest row that was recorded, too, and at most three of a table go at a time. Each day that is looked at is a
-- partition, whose first row is enough.
WITH kept (parent, days) AS (VALUES ('deletions', :audit_days::int), ('runs_done', :run_days::int)),
day AS MATERIALIZED (
  SELECT k.parent, right(c.relname, 8)::date AS day
  FROM kept k
  JOIN pg_inherits i ON i.inhparent = to_regclass('pruned.' || k.parent) JOIN pg_class c ON c.oid = i.inhrelid
  WHERE c.relname ~ ('^' || k.parent || '_\d{8}$')
),
-- Recorded before anybody had made the day's partition.
late AS MATERIALIZED (SELECT DISTINCT (at AT TIME ZONE 'UTC')::date AS day FROM pruned.deletions_default),
newest (parent, day) AS MATERIALIZED (
  SELECT 'deletions', greatest((SELECT max(day) FROM late), (
    SELECT d.day FROM day d
    WHERE d.parent = 'deletions' AND (SELECT true FROM pruned.deletions a WHERE a.at >= d.day::timestamp AT TIME ZONE 'UTC'
                                      AND a.at < (d.day + 1)::timestamp AT TIME ZONE 'UTC' LIMIT 1)
    ORDER BY d.day DESC LIMIT 1))
  UNION ALL
  SELECT 'runs_done', (
    SELECT d.day FROM day d
    WHERE d.parent = 'runs_done' AND (SELECT true FROM pruned.runs_done a WHERE a.scheduled_at >= d.day::timestamp AT TIME ZONE 'UTC'
                                      AND a.scheduled_at < (d.day + 1)::timestamp AT TIME ZONE 'UTC' LIMIT 1)
    ORDER BY d.day DESC LIMIT 1)
),
bound AS MATERIALIZED (
  SELECT k.parent, least((now() AT TIME ZONE 'UTC')::date - k.days, n.day - k.days, (
    SELECT d.day FROM (SELECT day FROM day d WHERE d.parent = k.parent UNION SELECT day FROM late WHERE k.parent = 'deletions') AS d
    ORDER BY d.day OFFSET 3 LIMIT 1)) AS before
  FROM kept k JOIN newest n ON n.parent = k.parent
)
SELECT a.before AS audit_before, r.before AS runs_before FROM bound a, bound r WHERE a.parent = 'deletions' AND r.parent = 'runs_done'
