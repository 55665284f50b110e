-- The last step that was applied.
SELECT coalesce(max(version), 0) AS version FROM pruned.schema_version
