-- Foreign keys that may have removed or changed unrecorded rows together with rows that one of
-- these runs removed: the job does not record the rows of such keys (`follows`), or not of those to
-- this table (`unfollowed`), or a role that writes the audit has no rights on their table. Tables
-- that a run has recorded, or that the job has statements for (`own`), are left out. Reads the
-- catalogue and the audit's small columns only.
WITH run AS (SELECT * FROM unnest(:run_id::uuid[], :follows::text[], :unfollowed::text[], :own::text[]) AS r (run_id, follows, unfollowed, own)),
removed AS (
  SELECT DISTINCT r.run_id, r.follows, r.unfollowed, r.own, pg_catalog.to_regclass(d.table_name)::oid AS rel
  FROM run r JOIN pruned.deletions d ON d.run_id = r.run_id AND d.action = 'deleted' AND (:only::text IS NULL OR pg_catalog.to_regclass(d.table_name) = pg_catalog.to_regclass(:only::text))
),
writer AS (
  SELECT oid AS role FROM pg_roles WHERE rolname = current_user
  UNION
  SELECT g.grantee FROM pg_class c, pg_catalog.aclexplode(c.relacl) AS g
  WHERE c.oid = 'pruned.deletions'::regclass AND g.privilege_type = 'INSERT' AND g.grantee <> 0
),
seen AS (SELECT DISTINCT pg_catalog.to_regclass(d.table_name)::oid AS rel FROM pruned.deletions d WHERE d.run_id = ANY (:run_id::uuid[]))
SELECT DISTINCT f.conrelid::regclass::text AS child, f.confrelid::regclass::text AS parent, f.conname AS name,
       CASE f.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE 'SET DEFAULT' END AS rule
FROM removed m
JOIN pg_constraint f ON f.confrelid = m.rel AND f.contype = 'f' AND f.conparentid = 0 AND f.confdeltype IN ('c', 'n', 'd')
WHERE f.conrelid NOT IN (SELECT s.rel FROM seen s WHERE s.rel IS NOT NULL)
  AND NOT (f.conrelid::regclass::text = ANY (pg_catalog.string_to_array(m.own, ' ')))
  AND NOT (pg_catalog.strpos(m.follows, f.confdeltype::text) > 0
           AND NOT (f.confrelid::regclass::text = ANY (pg_catalog.string_to_array(m.unfollowed, ' ')))
           AND (SELECT pg_catalog.bool_and(pg_catalog.has_table_privilege(w.role, f.conrelid, 'SELECT')
                                AND pg_catalog.has_table_privilege(w.role, f.conrelid, CASE f.confdeltype WHEN 'c' THEN 'DELETE' ELSE 'UPDATE' END))
                FROM writer w))
ORDER BY child, name
