-- Rows that are due and still there: the first hundred that nothing keeps. In quarantine are also
-- those that another session held. A hold that has just ended was one when the run went on.
SELECT u.tab, u.key, u.wrong
FROM (
{due}
) AS u
WHERE NOT EXISTS (SELECT FROM pruned.quarantine q WHERE q.job = :job::text AND q.item = u.tab || ':' || u.key COLLATE "C")
  AND NOT EXISTS (SELECT FROM pruned.holds h WHERE h.tab = (SELECT pruned.held_table(u.tab)) AND h.key = u.key COLLATE "C")
LIMIT 100
