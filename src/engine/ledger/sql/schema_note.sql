-- Records the step, in its own transaction.
INSERT INTO pruned.schema_version (version) VALUES (:version::int)
