-- Columns that `children` names (`name`; empty: a table of the sentence) although they refer to a
-- table that is none of the sentence's, or to none while other columns refer to one of these: by
-- what they hold, other rows may be meant. Reads the catalogue only.
WITH w AS (SELECT u.job, u.name, pg_catalog.to_regclass(u.relation)::oid AS rel FROM unnest(:job::text[], :relation::text[], :name::text[]) AS u (job, relation, name)),
refers AS (
  SELECT w.job, w.name, f.conname, f.conrelid, f.confrelid,
         EXISTS (SELECT FROM w o WHERE o.job = w.job AND o.name = '' AND o.rel = f.confrelid) AS within
  FROM w
  JOIN pg_attribute a ON a.attrelid = w.rel AND a.attname = w.name
  JOIN pg_constraint f ON f.conrelid = w.rel AND f.contype = 'f' AND a.attnum = ANY (f.conkey))
SELECT r.job, pg_catalog.min(pg_catalog.format('%s of %s refers to %s, by %s: does it hold keys of this job''s table?', r.name, r.conrelid::regclass, r.confrelid::regclass, r.conname)) AS detail
FROM refers r
GROUP BY r.job, r.conrelid, r.name
HAVING NOT pg_catalog.bool_or(r.within)
UNION ALL
SELECT w.job, pg_catalog.min(pg_catalog.format('%s of %s refers to nothing, and %s refers to %s by %s: does it hold keys of this job''s table?', w.name, w.rel::regclass, w.rel::regclass,
                                               f.confrelid::regclass, f.conname))
FROM w
JOIN pg_constraint f ON f.conrelid = w.rel AND f.contype = 'f' AND f.confrelid <> f.conrelid
JOIN w o ON o.job = w.job AND o.name = '' AND o.rel = f.confrelid
WHERE w.name <> '' AND NOT EXISTS (SELECT FROM refers r WHERE r.job = w.job AND r.conrelid = w.rel AND r.name = w.name)
GROUP BY w.job, w.rel, w.name
ORDER BY 1, 2
