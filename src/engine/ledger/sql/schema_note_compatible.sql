-- Records the oldest program that can work with the step.
UPDATE pruned.schema_version SET compatible_from = :compatible_from::int WHERE version = :version::int
