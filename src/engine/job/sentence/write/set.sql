-- Changes the rows, if the condition still holds. They are locked, so `row` is what each was. By
-- primary key.
UPDATE {table}
SET {set}
FROM (SELECT {old}, {row} AS pruned_row FROM {table} JOIN {keys} ON {match}) AS pruned_o
WHERE {same}
  AND CASE WHEN {same} THEN {due} ELSE false END IS TRUE
RETURNING {key} AS key, pruned_o.pruned_row AS row
