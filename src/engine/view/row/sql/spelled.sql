-- Part of statements: `spelled` has the tables of jobs by the names that these have for them
-- (`:known`), in which the audit has them; `names` those of the table `:whose`, and its own.
spelled (rel, tab) AS MATERIALIZED (
  SELECT DISTINCT
-- include: ../../../step/sql/relation_named.sql
         , n.tab FROM pg_catalog.unnest(:known::text[]) AS n (tab)
),
names (tab) AS MATERIALIZED (
  SELECT :whose::text UNION SELECT s.tab FROM spelled s
  WHERE s.rel = (SELECT
-- include: ../../../step/sql/relation_named.sql
                 FROM (VALUES (:whose::text)) AS n (tab))
)
