-- Keys that PostgreSQL does not keep when jobs change rows, by table: because a trigger behind the
-- key is off, of the table itself, of its partitions, or of a table whose rows a foreign key
-- changes with them; or because all are off in this session, or in those of this role. Reads the
-- catalogue only.
WITH RECURSIVE
-- include: ../../sql/located.sql
,
touched (job, rel, events) AS ( -- events: as in pg_trigger.tgtype
  SELECT l.job, l.rel, CASE l.name WHEN 'DELETE' THEN 8 WHEN 'UPDATE' THEN 16 ELSE 4 END FROM located l WHERE l.name IN ('DELETE', 'UPDATE', 'INSERT')
  UNION
  SELECT t.job, n.rel, n.events FROM touched t CROSS JOIN LATERAL (
    SELECT i.inhrelid AS rel, t.events FROM pg_inherits i WHERE i.inhparent = t.rel
    UNION ALL
    SELECT k.conrelid, CASE k.confdeltype WHEN 'c' THEN 8 ELSE 16 END FROM pg_constraint k
    WHERE k.confrelid = t.rel AND k.contype = 'f' AND k.confdeltype IN ('c', 'n', 'd') AND t.events = 8) AS n
),
off AS (
  SELECT DISTINCT t.job, t.rel::regclass AS tab, g.tgname, g.tgenabled, k.conname, k.conrelid::regclass AS of
  FROM touched t
  JOIN pg_trigger g ON g.tgrelid = t.rel AND g.tgenabled IN ('D', 'R') AND g.tgtype & t.events <> 0
  JOIN pg_constraint k ON k.oid = g.tgconstraint AND k.contype IN ('f', 'p', 'u', 'x')
),
said (name) AS ( -- what says so of this role or this database
  SELECT pg_catalog.concat_ws(' IN ', 'ROLE ' || pg_catalog.quote_ident(r.rolname), 'DATABASE ' || pg_catalog.quote_ident(d.datname))
  FROM pg_db_role_setting s
  LEFT JOIN pg_roles r ON r.oid = s.setrole
  LEFT JOIN pg_database d ON d.oid = s.setdatabase
  WHERE EXISTS (SELECT FROM pg_catalog.unnest(s.setconfig) AS one WHERE pg_catalog.lower(one) = 'session_replication_role=replica')
    AND (s.setrole = 0 OR r.rolname = current_user) AND (s.setdatabase = 0 OR d.datname = pg_catalog.current_database())
),
own_session (name) AS (
  SELECT name FROM said
  UNION ALL
  SELECT NULL WHERE pg_catalog.current_setting('session_replication_role') = 'replica' AND NOT EXISTS (SELECT FROM said)
)
SELECT o.job, o.tab::text AS relation,
       pg_catalog.format('PostgreSQL does not keep %s of %s when rows of %s change: its trigger %s %s', pg_catalog.min(o.conname::text), pg_catalog.min(o.of::text), o.tab,
                         pg_catalog.min(pg_catalog.format('%I', o.tgname)), CASE pg_catalog.min(o.tgenabled::text) WHEN 'D' THEN 'is disabled' ELSE 'runs only for replication' END)
         || CASE WHEN pg_catalog.count(*) > 1 THEN pg_catalog.format(' (and %s more)', pg_catalog.count(*) - 1) ELSE '' END AS detail,
       pg_catalog.format('ALTER TABLE %s ENABLE TRIGGER ALL;', o.tab) AS remedy
FROM off o
GROUP BY o.job, o.tab
UNION ALL
SELECT DISTINCT t.job, NULL, pg_catalog.format('session_replication_role is replica for %s: PostgreSQL keeps no foreign key and runs no trigger', coalesce(s.name, 'this session')),
       CASE WHEN s.name IS NOT NULL THEN pg_catalog.format('ALTER %s RESET session_replication_role;', s.name) END
FROM touched t, own_session s
ORDER BY 1, 2, 3
