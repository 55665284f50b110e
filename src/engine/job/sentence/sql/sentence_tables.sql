-- The tables of a sentence, as they are named (`:tables`: its own, then those of `children`), and
-- those below them by foreign keys: with `:auto` by all that forbid to remove the parent, always by
-- those that remove (cascade) or empty (`touched`) the child. With `:set` also those whose rows a
-- change of the own table's columns changes (`moved`, ON UPDATE); `beside`: only that leads to the
-- table. `readable`: this role may read it. `:archive`: one more, not followed. A
-- foreign key to a partitioned table has a copy for each of its partitions: that one counts for a
-- sentence about a partition. `partly`: a table that refers to some partitions of this one only.
-- `ours`: of the database or of pruned. `stirs`: the own table has triggers before rows go
-- or change; `answers`: before or after. `cuts`: the column's type, also below a domain, has a
-- length, a precision or fields (`interval day`).
-- `several`: equal values of the column can have several texts. `as_text`: `->>` of the
-- column's value in JSON is no text that a cast takes as that value:
-- an array, a row, a type with a cast to JSON of its own. `bounded`: an array, whose bounds JSON
-- does not have. `loses`: see json_loses.sql. `zeros`: of floating point, which has a -0, or a list
-- of these. `element`: the base type of what an array has. `timed`: a list, a range or a row in
-- which there are dates or times, however deep. `leads`: of the sentence's own table, a valid index
-- of all rows begins with the column, and compares it by its type's own operators. `signs`: the
-- operators (<, <=, =, >=, >) by which the index on the primary key compares values of the column,
-- or its type does; null: those that PostgreSQL has for exactly this type. Names are quoted here
-- and nowhere else. Reads the catalogue only.
WITH RECURSIVE named AS (
  SELECT t.name, t.n, pg_catalog.to_regclass(t.name)::oid AS rel FROM pg_catalog.unnest(:tables::text[]) WITH ORDINALITY AS t (name, n)
  UNION ALL SELECT :archive::text, 0, pg_catalog.to_regclass(:archive::text)::oid WHERE :archive::text IS NOT NULL
),
below (rel) AS (
  SELECT n.rel FROM named n WHERE n.n > 0 AND n.rel IS NOT NULL
  UNION
  SELECT f.conrelid FROM below b JOIN pg_constraint f ON f.confrelid = b.rel AND f.contype = 'f' AND (f.conparentid = 0 OR EXISTS (SELECT FROM pg_constraint p WHERE p.oid = f.conparentid AND p.conrelid = f.conrelid AND p.confrelid <> f.confrelid))
   AND (f.confdeltype = 'c' OR :auto::boolean AND f.confdeltype IN ('a', 'r'))
),
touched (rel) AS (
  SELECT b.rel FROM below b
  UNION SELECT f.conrelid FROM below b JOIN pg_constraint f ON f.confrelid = b.rel AND f.contype = 'f' AND (f.conparentid = 0 OR EXISTS (SELECT FROM pg_constraint p WHERE p.oid = f.conparentid AND p.conrelid = f.conrelid AND p.confrelid <> f.confrelid)) AND f.confdeltype IN ('n', 'd')
  UNION SELECT n.rel FROM named n
),
moved (rel) AS (
  SELECT n.rel FROM named n WHERE n.n = 1 AND n.rel IS NOT NULL AND :set::boolean
  UNION
  SELECT f.conrelid FROM moved m JOIN pg_constraint f ON f.confrelid = m.rel AND f.contype = 'f' AND (f.conparentid = 0 OR EXISTS (SELECT FROM pg_constraint p WHERE p.oid = f.conparentid AND p.conrelid = f.conrelid AND p.confrelid <> f.confrelid))
   AND f.confupdtype IN ('c', 'n', 'd')
),
reached AS (
  SELECT t.rel, false AS beside FROM touched t
  UNION ALL SELECT m.rel, true FROM moved m WHERE NOT EXISTS (SELECT FROM touched t WHERE t.rel = m.rel)
),
-- Few databases have any.
emptying AS MATERIALIZED (
  SELECT f.conrelid, f.confrelid, f.confkey FROM pg_constraint f WHERE f.contype = 'f' AND f.confupdtype IN ('n', 'd')
)
SELECT t.rel::text AS oid, n.name AS asked, coalesce(n.n, -1) AS place, t.rel::regclass::text AS name, pg_catalog.quote_ident(c.relname) AS own, pg_catalog.quote_ident(n2.nspname) || '.' || pg_catalog.quote_ident(c.relname) AS whole, c.relkind AS kind,
       pg_catalog.row_security_active(c.oid) AS hidden, pg_catalog.has_table_privilege(c.oid, 'SELECT') AS readable, coalesce(t.beside, false) AS beside,
       coalesce(pg_catalog.pg_partition_root(c.oid), c.oid)::oid::text AS root, c.relkind = 'r' AND EXISTS (SELECT FROM pg_inherits h WHERE h.inhparent = c.oid) AS inherited,
       n2.nspname IN ('pg_catalog', 'pg_toast', 'information_schema', 'pruned') AS ours,
       coalesce((SELECT pg_catalog.min(g.tgname::text) FROM pg_trigger g
                 WHERE g.tgrelid = c.oid AND NOT g.tgisinternal AND g.tgenabled <> 'D' AND g.tgtype & 7 = 7),
                (SELECT pg_catalog.min(w.rulename::text) FROM pg_rewrite w WHERE w.ev_class = c.oid AND w.ev_type = '3' AND w.is_instead)) AS catches,
       n.n = 1 AND EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid IN (SELECT c.oid UNION ALL SELECT p.relid FROM pg_catalog.pg_partition_tree(c.oid) AS p)
                             AND g.tgconstraint = 0 AND g.tgenabled <> 'D' AND g.tgtype & 2 <> 0 AND g.tgtype & 24 <> 0) AS stirs,
       n.n = 1 AND EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid IN (SELECT c.oid UNION ALL SELECT p.relid FROM pg_catalog.pg_partition_tree(c.oid) AS p)
                             AND NOT g.tgisinternal AND g.tgenabled <> 'D' AND g.tgtype & 24 <> 0) AS answers,
       (SELECT pg_catalog.min(f.conrelid::regclass::text) FROM pg_catalog.pg_partition_tree(c.oid) AS p JOIN pg_constraint f ON f.confrelid = p.relid
        WHERE p.level > 0 AND f.contype = 'f' AND f.conparentid = 0 AND f.confdeltype IN ('c', 'n', 'd')) AS partly,
       (SELECT coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', a.attname, 'quoted', pg_catalog.quote_ident(a.attname), 'type',
                 CASE WHEN y.typnamespace = 'pg_catalog'::regnamespace AND y.typname NOT IN ('char', 'bit', 'bpchar') THEN y.typname::text
                      ELSE pg_catalog.format_type(y.oid, -1) END,
                 'declared', pg_catalog.format_type(a.atttypid, a.atttypmod),
                 'cuts', y.typmod <> -1, 'notnull', a.attnotnull, 'made', a.attgenerated <> '',
                 'leads', n.n = 1 AND EXISTS (
                    SELECT FROM pg_index i JOIN pg_opclass x ON x.oid = (i.indclass::oid[])[0] JOIN pg_am h ON h.oid = x.opcmethod
                    WHERE i.indrelid = c.oid AND (i.indkey::smallint[])[0] = a.attnum AND i.indisvalid AND i.indisready AND i.indpred IS NULL
                      AND h.amname = 'btree' AND (i.indcollation::oid[])[0] = a.attcollation
                      AND EXISTS (SELECT FROM pg_opclass d WHERE d.opcfamily = x.opcfamily AND d.opcdefault)),
                 'signs', (SELECT pg_catalog.jsonb_agg(CASE WHEN o.oprnamespace = 'pg_catalog'::regnamespace AND o.oprleft = a.atttypid THEN NULL
                                                            ELSE pg_catalog.format('OPERATOR(%I.%s)', s.nspname, o.oprname) END ORDER BY m.amopstrategy)
                           FROM pg_opclass x
                           JOIN pg_amop m ON m.amopfamily = x.opcfamily AND m.amoplefttype = x.opcintype AND m.amoprighttype = x.opcintype AND m.amoppurpose = 's'
                           JOIN pg_operator o ON o.oid = m.amopopr JOIN pg_namespace s ON s.oid = o.oprnamespace
                           WHERE x.oid = coalesce(
                             (SELECT (i.indclass::oid[])[k.n - 1]
                              FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
                              WHERE i.indrelid = c.oid AND i.indisprimary AND k.n <= i.indnkeyatts AND k.attnum = a.attnum),
                             (SELECT d.oid FROM pg_opclass d JOIN pg_am h ON h.oid = d.opcmethod AND h.amname = 'btree'
                              WHERE d.opcdefault AND d.opcintype = y.oid))),
                 'collation', (SELECT l.oid::regcollation::text FROM pg_collation l WHERE l.oid = a.attcollation),
                 'several', NOT coalesce(y.typtype = 'e' OR y.typnamespace = 'pg_catalog'::regnamespace
                   AND (y.typname IN ('bool', 'int2', 'int4', 'int8', 'oid', 'uuid', 'date', 'time', 'timestamp', 'timestamptz', 'bytea', 'char')
                        OR y.typname IN ('text', 'varchar', 'name') AND (SELECT l.collisdeterministic FROM pg_collation l WHERE l.oid = a.attcollation)), false),
                 'as_text', y.typtype = 'c' OR y.typelem <> 0 AND y.typlen = -1
                   OR EXISTS (SELECT FROM pg_cast k WHERE k.castsource = y.oid AND k.casttarget = 'json'::regtype AND y.oid <> 'jsonb'::regtype),
                 'loses',
-- include: ../../../../pg/sql/json_loses.sql
                 , 'bounded', y.typcategory = 'A' AND y.typelem <> 0 AND y.typlen = -1 AND y.oid NOT IN ('int2vector'::regtype, 'oidvector'::regtype),
                 'zeros', (y.oid IN ('float4'::regtype, 'float8'::regtype) OR y.typlen = -1 AND y.typelem IN ('float4'::regtype, 'float8'::regtype)),
                 'element', CASE WHEN y.typelem <> 0 AND y.typlen = -1 THEN (
                    WITH RECURSIVE base (oid) AS (
                      SELECT y.typelem UNION ALL SELECT d.typbasetype FROM base b JOIN pg_type d ON d.oid = b.oid AND d.typtype = 'd')
                    SELECT pg_catalog.format_type(t.oid, -1) FROM base b JOIN pg_type t ON t.oid = b.oid AND t.typtype <> 'd' AND t.typnamespace = 'pg_catalog'::regnamespace) END,
                 'timed', CASE WHEN y.typtype IN ('c', 'm', 'r') OR y.typelem <> 0 AND y.typlen = -1 THEN EXISTS (
                    WITH RECURSIVE part (oid) AS (
                      SELECT y.oid
                      UNION
                      SELECT x.oid FROM part p JOIN pg_type t ON t.oid = p.oid CROSS JOIN LATERAL (
                        SELECT t.typbasetype WHERE t.typtype = 'd'
                        UNION ALL SELECT t.typelem WHERE t.typelem <> 0 AND t.typlen = -1
                        UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE t.oid IN (r.rngtypid, r.rngmultitypid)
                        UNION ALL SELECT f.atttypid FROM pg_attribute f WHERE t.typtype = 'c' AND f.attrelid = t.typrelid AND f.attnum > 0 AND NOT f.attisdropped) AS x (oid))
                    SELECT FROM part p JOIN pg_type t ON t.oid = p.oid WHERE t.typcategory = 'D') ELSE false END,
                 'emptied',
                 (SELECT pg_catalog.min(f.conrelid::regclass::text) FROM emptying f
                  WHERE f.confrelid = c.oid AND a.attnum = ANY (f.confkey))) ORDER BY a.attnum), '[]')
        FROM pg_attribute a
        CROSS JOIN LATERAL (
          WITH RECURSIVE base (oid, typmod) AS (
            SELECT a.atttypid, a.atttypmod
            UNION ALL SELECT d.typbasetype, CASE WHEN d.typtypmod <> -1 THEN d.typtypmod ELSE b.typmod END FROM base b JOIN pg_type d ON d.oid = b.oid AND d.typtype = 'd')
          SELECT t.oid, b.typmod, t.typname, t.typnamespace, t.typtype, t.typelem, t.typlen, t.typcategory FROM base b JOIN pg_type t ON t.oid = b.oid AND t.typtype <> 'd') AS y
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
       (SELECT coalesce(pg_catalog.jsonb_agg(a.attname ORDER BY k.n), '[]')
        FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
        WHERE i.indrelid = c.oid AND i.indisprimary AND k.n <= i.indnkeyatts) AS key
FROM reached t
FULL JOIN named n ON n.rel = t.rel
LEFT JOIN pg_class c ON c.oid = t.rel
LEFT JOIN pg_namespace n2 ON n2.oid = c.relnamespace
ORDER BY coalesce(n.n, 1000000), t.rel
