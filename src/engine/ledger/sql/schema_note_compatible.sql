-- What the step says of older programs.
UPDATE pruned.schema_version SET compatible_from = :compatible_from::int WHERE version = :version::int
