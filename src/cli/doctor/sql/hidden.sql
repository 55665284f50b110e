-- Tables whose rows row-level security may hide from this role: those that the enabled jobs read or
-- write, and those that foreign keys connect to a user, a project or a group, at any distance.
-- Reads the catalogue only.
WITH RECURSIVE tied (rel, goes) AS (
  SELECT c.oid, w.relation IN ('users', 'projects', 'namespaces', 'members')
  FROM (SELECT DISTINCT relation FROM unnest(:job::text[], :relation::text[], :name::text[]) AS w (job, relation, name)) AS w
  JOIN pg_namespace n ON n.nspname = :app_schema::text
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.relation AND c.relkind IN ('r', 'p')
  UNION
  SELECT c.conrelid, c.confdeltype = 'c' FROM tied t JOIN pg_constraint c ON c.confrelid = t.rel AND c.contype = 'f' WHERE t.goes
)
SELECT DISTINCT t.rel::regclass::text AS hidden FROM tied t WHERE pg_catalog.row_security_active(t.rel) ORDER BY 1
