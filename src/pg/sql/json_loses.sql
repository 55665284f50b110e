-- Part of statements: whether PostgreSQL's JSON of a value of type `y.oid`, no domain, is another
-- value than its text, so that the text is what has to be recorded: of a type with a cast to JSON
-- of its own, of rows with JSON or a list in them (json is written anew, the null of JSON is NULL,
-- and bounds of lists are left out), and of lists of JSON or of these. The same rule as that of
-- schemas/postgres/039-records.sql.
EXISTS (
  WITH RECURSIVE part (oid, inside) AS (
    SELECT y.oid, false
    UNION
    SELECT x.oid, p.inside OR t.typtype = 'c' OR t.typtype <> 'd' AND x.oid IN ('json'::regtype, 'jsonb'::regtype)
    FROM part p JOIN pg_type t ON t.oid = p.oid
    CROSS JOIN LATERAL (
      SELECT t.typbasetype WHERE t.typtype = 'd'
      UNION ALL SELECT t.typelem WHERE t.typelem <> 0 AND t.typlen = -1
      UNION ALL SELECT f.atttypid FROM pg_attribute f WHERE t.typtype = 'c' AND f.attrelid = t.typrelid AND f.attnum > 0 AND NOT f.attisdropped) AS x (oid))
  SELECT FROM part p JOIN pg_type t ON t.oid = p.oid
  WHERE p.inside AND (t.oid IN ('json'::regtype, 'jsonb'::regtype) OR t.typcategory = 'A')
     OR EXISTS (SELECT FROM pg_cast k WHERE k.castsource = t.oid AND k.casttarget = 'json'::regtype AND k.castfunc <> 0))
