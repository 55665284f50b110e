-- The statements that grant `:role` (quoted) the rights on the application's tables that the jobs
-- in force need: `:relation` with `:name`, a right for each, `RESTORE` being the INSERT of
-- `pruned restore`; and USAGE on other schemas than the application's, also on all of the path.
-- Tables that the database lacks are left out. Where jobs compose statements from the catalogue,
-- all four rights are needed:
-- - on the tables that refer to a user, if users.destroy is in force (`:users`): those of its
-- lists, and those with a foreign key from a
--   column of such a name;
-- - on the tables whose rows a foreign key would delete or change with those that a job in force
--   deletes (`ROOT` among the rights): the job removes them itself and records them first. Those
--   that the application keeps without a key are known (`:groups`). Rows of a table that is created
--   later are removed by its key, unrecorded, until the statements are made and run again. Into
--   tables of `MAKES` jobs insert rows whose columns take their numbers from sequences; `FILLS`:
--   filled.sql.
-- Reads the catalogue only.
WITH RECURSIVE
-- include: ../../jobs/groups.destroy/known.sql
,
-- include: ../../jobs/users.destroy/columns.sql
,
-- include: located.sql
,
-- include: filled.sql
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
  SELECT l.rel, CASE l.name WHEN 'RESTORE' THEN 'INSERT' ELSE l.name END FROM located l WHERE l.name NOT IN ('ROOT', 'MAKES', 'FILLS', 'SOURCE')
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
SELECT pg_catalog.format('GRANT USAGE ON SCHEMA %I TO %s', n.nspname, :role::text)
FROM pg_namespace n
WHERE n.nspname NOT IN (:app_schema::text, 'pg_catalog', 'pg_temp')
  AND (n.oid IN (SELECT c.relnamespace FROM given g JOIN pg_class c ON c.oid = g.rel)
       OR pg_catalog.quote_ident(n.nspname) = ANY (pg_catalog.string_to_array(pg_catalog.current_setting('search_path'), ', ')))
UNION ALL
SELECT pg_catalog.format('GRANT USAGE ON SEQUENCE %I.%I TO %s', s.schema, s.name, :role::text)
FROM (SELECT n.nspname AS schema, q.relname AS name
      FROM located l JOIN pg_attrdef f ON f.adrelid = l.rel
      JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass
      JOIN pg_class q ON q.oid = d.refobjid AND q.relkind = 'S' JOIN pg_namespace n ON n.oid = q.relnamespace
      WHERE l.name = 'MAKES'
      UNION
      SELECT f.schema, f.name FROM filled f) AS s
ORDER BY sql
