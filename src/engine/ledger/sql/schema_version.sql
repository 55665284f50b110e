-- The last step that was applied.
SELECT coalesce(pg_catalog.max(version), 0) AS version FROM pruned.schema_version
