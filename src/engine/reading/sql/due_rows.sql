-- Rows that are due and still there: the first hundred that nothing keeps. In quarantine are also
-- those that another session held. A hold that has just ended was one when the run went on.
-- `own`: how many others are due and held themselves.
SELECT u.tab, u.key, u.wrong,
       CASE WHEN (SELECT EXISTS (SELECT FROM pruned.holds)) THEN (
         SELECT pg_catalog.count(*) FROM (
{due}
         ) AS o
         WHERE EXISTS (SELECT FROM pruned.holds h WHERE h.tab = (SELECT pruned.held_table(o.tab)) AND h.key = o.key COLLATE "C")) ELSE 0 END AS own
FROM (
{due}
) AS u
WHERE NOT EXISTS (SELECT FROM pruned.quarantine q WHERE q.job = :job::text AND q.item = u.tab || ':' || u.key COLLATE "C")
  AND NOT EXISTS (SELECT FROM pruned.holds h WHERE h.tab = (SELECT pruned.held_table(u.tab)) AND h.key = u.key COLLATE "C")
LIMIT 100
