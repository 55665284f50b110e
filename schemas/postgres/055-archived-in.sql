-- Schema `pruned`, step 55: the audit notes in which file of an archive the rows of a record are.
-- compatible_from: 41

-- The file's name, below the place that the job names: with `audit = keys` only the file has the
-- rows.
ALTER TABLE pruned.deletions ADD COLUMN archived_in text;
