-- Deletes the rows, if the condition still holds. By primary key.
DELETE FROM {table}
USING {keys}
WHERE {match}
  AND ({due}) IS TRUE
RETURNING {key} AS key, {row} AS row{record}
