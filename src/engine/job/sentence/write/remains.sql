-- Rows that are due and there again: a trigger has put them back. By primary key.
SELECT 'a trigger puts the row in again' AS reason
FROM {keys}
WHERE (:what::text[])[pruned_k.pruned_pos] = '{word}'
  AND EXISTS (SELECT FROM {table} WHERE {match} AND CASE WHEN {match} THEN {again_due} ELSE false END IS TRUE)
LIMIT 1
