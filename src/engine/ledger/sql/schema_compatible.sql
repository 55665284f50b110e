-- The oldest program, by the step that it wants, that can work with all applied steps. A step that
-- gives none needs a program that knows it.
SELECT pg_catalog.max(coalesce(compatible_from, version)) AS compatible_from FROM pruned.schema_version
