-- Days of audit and archive after tomorrow, and whether they have rows. Reads the catalogue and the
-- first row of each day. The archive is partitioned by the scheduled day, which can be tomorrow's.
SELECT c.relname AS name, coalesce(CASE p.parent
         WHEN 'deletions' THEN (SELECT true FROM pruned.deletions a WHERE a.at >= d.day::timestamp AT TIME ZONE 'UTC'
                                AND a.at < (d.day + 1)::timestamp AT TIME ZONE 'UTC' LIMIT 1)
         ELSE (SELECT true FROM pruned.runs_done a WHERE a.scheduled_at >= d.day::timestamp AT TIME ZONE 'UTC'
               AND a.scheduled_at < (d.day + 1)::timestamp AT TIME ZONE 'UTC' LIMIT 1) END, false) AS used
FROM (VALUES ('deletions'), ('runs_done')) AS p (parent)
JOIN pg_inherits i ON i.inhparent = pg_catalog.to_regclass('pruned.' || p.parent) JOIN pg_class c ON c.oid = i.inhrelid
CROSS JOIN LATERAL (SELECT CASE WHEN c.relname ~ ('^' || p.parent || '_\d{8}$') THEN pg_catalog.right(c.relname, 8)::date END AS day) AS d
WHERE d.day > (now() AT TIME ZONE 'UTC')::date + 1
ORDER BY c.relname
