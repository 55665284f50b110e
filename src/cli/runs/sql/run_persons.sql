-- Who approves a held run that our transaction has locked, how many must, who already has, and what
-- keeps this one from it: who placed the tick of the run, or of the one that started it, and who
-- asked for the reload that brought the version of the job that was counted, or a setting of it.
-- `person`: of the page; null: the role of this session. Spelled otherwise it is the same person.
-- Read by the index on the journal's object.
WITH RECURSIVE up AS (
  SELECT r.run_id, r.job, r.parent_id, 0 AS n FROM pruned.runs r WHERE r.run_id = :run_id::uuid
  UNION ALL
  SELECT p.run_id, p.job, p.parent_id, u.n + 1
  FROM up u CROSS JOIN LATERAL (SELECT r.run_id, r.job, r.parent_id FROM pruned.runs r WHERE r.run_id = u.parent_id
                                UNION ALL
                                SELECT r.run_id, r.job, r.parent_id FROM pruned.runs_done r WHERE r.run_id = u.parent_id) AS p
  WHERE u.n < 20),
it AS (
  SELECT r.job, r.held, pg_catalog.lower(coalesce(:person::text, session_user::text)) AS person
  FROM pruned.runs r WHERE r.run_id = :run_id::uuid),
said AS (
  SELECT j.at, j.command, j.object, j.reason, pg_catalog.lower(CASE WHEN j.host = :page::text THEN j.os_user ELSE j.role END) AS person
  FROM pruned.journal j
  WHERE j.object IN (SELECT u.run_id::text FROM up u UNION ALL SELECT pg_catalog.concat(u.run_id, ' ', u.job) FROM up u
                     UNION ALL SELECT i.job FROM it i UNION ALL VALUES ('all processes'))),
settings AS (
  SELECT DISTINCT ON (j.object) j.at FROM pruned.journal j CROSS JOIN it i
  WHERE j.command = 'reload' AND pg_catalog.starts_with(j.object, 'jobs.' || i.job || '.')
  ORDER BY j.object, j.at DESC),
noted AS (
  (SELECT s.at FROM said s CROSS JOIN it i
   WHERE s.command = 'reload' AND s.object = i.job AND pg_catalog.right(s.reason, pg_catalog.length(i.held ->> 'version')) = i.held ->> 'version'
   ORDER BY s.at DESC LIMIT 1)
  UNION ALL
  SELECT t.at FROM settings t)
SELECT i.person, coalesce(i.held -> 'approved_by', '[]') AS approved_by,
       greatest(coalesce((i.held ->> 'approvals')::integer, 1), :approvals::integer) AS needed,
       pg_catalog.jsonb_array_length(coalesce(i.held -> 'approved_by', '[]')) AS given,
       CASE WHEN coalesce(i.held -> 'approved_by', '[]') ? i.person THEN 'has approved it already'
            WHEN EXISTS (SELECT FROM said s WHERE s.command IN ('tick', 'reapply') AND s.person = i.person) THEN 'has placed it'
            WHEN EXISTS (SELECT FROM noted n
                         WHERE (SELECT s.person FROM said s
                                WHERE s.command = 'reload' AND s.object = 'all processes' AND s.at BETWEEN n.at - interval '5 minutes' AND n.at
                                ORDER BY s.at DESC LIMIT 1) = i.person) THEN 'has changed its rule' END AS but
FROM it i
