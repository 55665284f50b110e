-- The jobs that remove rows of the table `:tab`, of its partitions or of the table that it is a
-- partition of, each with the table as its quarantine names it: as the job does (`:name`), or, of a
-- sentence, as PostgreSQL writes it.
SELECT n.job, CASE WHEN n.sentence THEN n.rel::text ELSE n.name END AS name
FROM (
  SELECT u.job, u.name, u.sentence, u.pos, coalesce(CASE WHEN u.name ~ '^("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)([.]("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*))?$' THEN pg_catalog.to_regclass(u.name) END, pg_catalog.to_regclass(pg_catalog.format('%I', u.name))) AS rel
  FROM unnest(:job::text[], :name::text[], :sentence::boolean[]) WITH ORDINALITY AS u (job, name, sentence, pos)) AS n,
  (SELECT coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.format('%I', :tab::text))) AS rel) AS t
WHERE n.rel = t.rel OR coalesce(pg_catalog.pg_partition_root(n.rel), n.rel) = coalesce(pg_catalog.pg_partition_root(t.rel), t.rel)
ORDER BY n.pos
