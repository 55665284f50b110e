-- What becomes of each row: it is gone, or kept because the condition no longer holds (`where`) or
-- because it is among the newest (`keep`), or `{word}`. `:gone`: rows that go on earlier pages of a
-- plan; those below them are gone as well.
-- `matters`: a row is below it. Fast by primary key.
SELECT pruned_k.pruned_key AS key,
       CASE WHEN pruned_r.pruned_there IS NULL THEN 'gone'{gone_with} WHEN pruned_r.pruned_due THEN '{word}' ELSE 'kept' END AS what,
       CASE WHEN NOT pruned_r.pruned_due THEN pruned_r.pruned_reason{gone_below} END AS reason,
       pruned_r.pruned_matters AS matters
FROM {keys}
LEFT JOIN LATERAL (
  SELECT true AS pruned_there, CASE WHEN {match} THEN {due} ELSE false END IS TRUE AS pruned_due, CASE WHEN CASE WHEN {match} THEN {where} ELSE false END IS TRUE THEN 'keep' ELSE 'where' END AS pruned_reason,
         ({matters}) AS pruned_matters
  FROM {table} WHERE {match}) AS pruned_r ON true
ORDER BY pruned_k.pruned_pos
