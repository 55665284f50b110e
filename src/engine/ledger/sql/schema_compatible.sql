-- The oldest program, by the step that it wants, that may work with all the steps applied. A step that does not say wants one that knows it.
SELECT pg_catalog.max(coalesce(compatible_from, version)) AS compatible_from FROM pruned.schema_version
