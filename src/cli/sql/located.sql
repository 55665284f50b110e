-- Part of statements: the relations that `:relation` names as SQL writes it, with `:job` and
-- `:name`. A name without a schema is of `:app_schema`. They are found by name, because
-- to_regclass() refuses those of a schema that this role may not use.
located (job, name, rel, schema) AS (
  SELECT w.job, w.name, c.oid, n.oid
  FROM (SELECT u.job, u.name, pg_catalog.parse_ident(u.relation) AS parts
        FROM unnest(:job::text[], :relation::text[], :name::text[]) AS u (job, relation, name)) AS w
  JOIN pg_namespace n ON n.nspname = CASE pg_catalog.cardinality(w.parts) WHEN 1 THEN :app_schema::text ELSE w.parts[1] END
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.parts[pg_catalog.cardinality(w.parts)] AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
)
