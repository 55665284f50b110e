-- What an event names in the table of a sentence (`job`, `relation`, by the event `name`): the
-- columns of its key, and, if the table refers to that of another sentence of the same event by
-- other columns than its key, why the event may name a row of that one. Reads the catalogue only.
WITH w AS (
  SELECT u.job, u.name, c.oid AS rel, ARRAY(SELECT k.attnum FROM pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n) WHERE k.n <= i.indnkeyatts ORDER BY k.n) AS key
  FROM unnest(:job::text[], :relation::text[], :name::text[]) AS u (job, relation, name)
  JOIN pg_class c ON c.oid = pg_catalog.to_regclass(u.relation)
  JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary)
SELECT w.job, w.name,
       (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY k.n) FROM pg_catalog.unnest(w.key) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = w.rel AND a.attnum = k.attnum) AS key,
       (SELECT pg_catalog.min(pg_catalog.format('for %s it names a row of %s, to which %s refers by %s: rows that belong to that one are not meant', o.job, o.rel::regclass, w.rel::regclass, f.conname))
        FROM w o JOIN pg_constraint f ON f.conrelid = w.rel AND f.confrelid = o.rel AND f.contype = 'f' AND o.rel <> w.rel
        WHERE o.name = w.name
          AND NOT EXISTS (SELECT FROM pg_constraint g WHERE g.conrelid = w.rel AND g.confrelid = o.rel AND g.contype = 'f' AND g.conkey OPERATOR(pg_catalog.=) w.key)) AS other
FROM w
ORDER BY 1, 2
