-- Deletes the rows, if the condition still holds. By primary key. CASE: the condition, which can
-- fail for a row, is asked of no other rows.
DELETE FROM {table}
USING {keys}
WHERE {match}
  AND CASE WHEN {match} THEN {due} ELSE false END IS TRUE
RETURNING {key} AS key, {row} AS row{record}
