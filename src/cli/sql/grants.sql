-- The statements that grant `:role` (quoted) the rights on the application's tables that the jobs
-- in force need: `:relation` with `:name`, a right for each, `RESTORE` being the INSERT of `pruned
-- restore`; and USAGE on other schemas than the application's. Tables that the database lacks are
-- left out. Where jobs compose statements from the catalogue, all four rights are needed:
-- - on the tables that refer to a user, if users.destroy is in force (`:users`): those of its
-- lists, and those with a foreign key from a
--   column of such a name;
-- - on the tables whose rows a foreign key would delete or change with those that a job in force
--   deletes (`ROOT` among the rights): the job removes them itself and records them first. Those
--   that the application keeps without a key are known (`:groups`). Rows of a table that is created
--   later are removed by its key, unrecorded, until the statements are made and run again. Into
--   tables of `MAKES` jobs insert rows whose ids come from a sequence.
-- Reads the catalogue only.
WITH RECURSIVE
-- include: ../../jobs/groups.destroy/known.sql
,
-- include: ../../jobs/users.destroy/columns.sql
,
-- include: located.sql
,
app (rel, name) AS (
  SELECT c.oid, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = :app_schema::text AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
),
referring (rel) AS (
  SELECT a.rel FROM app a WHERE a.name IN (SELECT n.tab FROM named n)
  UNION
  SELECT a.rel FROM app a JOIN pg_attribute t ON t.attrelid = a.rel AND NOT t.attisdropped AND t.attname IN (SELECT n.col FROM named n)
  WHERE EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = a.rel AND f.contype = 'f' AND f.conkey OPERATOR(pg_catalog.=) ARRAY[t.attnum]
                AND f.confrelid = (SELECT u.rel FROM app u WHERE u.name = 'users'))
),
taken (rel, rule) AS (
  SELECT l.rel, 'c' FROM located l WHERE l.name = 'ROOT'
  UNION
  SELECT a.rel, 'c' FROM app a WHERE :groups::boolean AND a.name IN (SELECT k.tab FROM known k)
  UNION
  SELECT c.conrelid, c.confdeltype::text FROM taken t JOIN pg_constraint c ON c.confrelid = t.rel
  WHERE c.contype = 'f' AND c.confdeltype IN ('c', 'n', 'd') AND t.rule = 'c'
),
given (rel, name) AS (
  SELECT l.rel, CASE l.name WHEN 'RESTORE' THEN 'INSERT' ELSE l.name END FROM located l WHERE l.name NOT IN ('ROOT', 'MAKES')
  UNION
  SELECT f.rel, p.name
  FROM (SELECT r.rel FROM referring r WHERE :users::boolean UNION SELECT t.rel FROM taken t JOIN app a ON a.rel = t.rel) AS f
  CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p (name)
)
SELECT pg_catalog.format('GRANT %s ON %I.%I TO %s', g.rights, n.nspname, c.relname, :role::text) AS sql
FROM (SELECT g.rel, pg_catalog.string_agg(g.name, ', ' ORDER BY pg_catalog.array_position(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'], g.name)) AS rights
      FROM given g GROUP BY g.rel) AS g
JOIN pg_class c ON c.oid = g.rel JOIN pg_namespace n ON n.oid = c.relnamespace
UNION ALL
SELECT DISTINCT pg_catalog.format('GRANT USAGE ON SCHEMA %I TO %s', n.nspname, :role::text)
FROM given g JOIN pg_class c ON c.oid = g.rel JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname <> :app_schema::text
UNION ALL
SELECT pg_catalog.format('GRANT USAGE ON SEQUENCE %s TO %s', s.name, :role::text)
FROM (SELECT DISTINCT pg_catalog.pg_get_serial_sequence(pg_catalog.format('%I.%I', n.nspname, c.relname), t.attname) AS name
      FROM located l JOIN pg_class c ON c.oid = l.rel JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute t ON t.attrelid = l.rel AND t.attnum > 0 AND NOT t.attisdropped AND t.atthasdef
      WHERE l.name = 'MAKES') AS s
WHERE s.name IS NOT NULL
ORDER BY sql
