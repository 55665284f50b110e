-- A row that is back is no longer in the archive. By primary key.
DELETE FROM {archive}
USING {keys}
WHERE {archive_match}
