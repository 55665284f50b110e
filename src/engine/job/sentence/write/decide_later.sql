-- What becomes of each row, or `waits` if it must not go yet: its object is not surely gone, or no
-- file of the archive has it as it is. Then it is looked at again. Fast by primary key.
SELECT pruned_k.pruned_key AS key,
       CASE WHEN pruned_r.pruned_there IS NULL THEN 'gone'{gone_with} WHEN NOT pruned_r.pruned_due THEN 'kept' WHEN pruned_r.pruned_free THEN '{word}' ELSE 'waits' END AS what,
       CASE WHEN NOT pruned_r.pruned_due THEN pruned_r.pruned_reason END AS reason,
       pruned_r.pruned_matters AS matters
FROM {keys}
LEFT JOIN LATERAL (
  SELECT true AS pruned_there, CASE WHEN {match} THEN {due} ELSE false END IS TRUE AS pruned_due, ({free}) IS TRUE AS pruned_free, CASE WHEN CASE WHEN {match} THEN {where} ELSE false END IS TRUE THEN 'keep' ELSE 'where' END AS pruned_reason,
         ({matters}) AS pruned_matters
  FROM {table} WHERE {match}{by}) AS pruned_r ON true
ORDER BY pruned_k.pruned_pos
