-- Schema `pruned`, step 3: rows of the audit are compressed with lz4, several times faster than the
-- default, if this PostgreSQL was built with it. Existing days keep their compression.
DO $$ BEGIN
    ALTER TABLE pruned.deletions ALTER COLUMN rows SET COMPRESSION lz4;
    ALTER TABLE pruned.deletions ALTER COLUMN keys SET COMPRESSION lz4;
    ALTER TABLE pruned.deletions_default ALTER COLUMN rows SET COMPRESSION lz4;
    ALTER TABLE pruned.deletions_default ALTER COLUMN keys SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END $$;
