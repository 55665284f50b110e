-- What becomes of each row: it is gone, or kept because the condition no longer holds (`where`),
-- because it is among the newest (`keep`) or because it has the values already (`unchanged`), or
-- `{word}`. `:gone`: rows that go on earlier pages of a plan; those below them are gone as well.
-- `matters`: a row is below it. `before`: what remains.sql compares. Fast by primary key.
SELECT pruned_k.pruned_key AS key,
       CASE WHEN pruned_r.pruned_there IS NULL THEN 'gone'{gone_with} WHEN pruned_r.pruned_spared IS NULL THEN '{word}' ELSE 'kept' END AS what,
       CASE WHEN pruned_r.pruned_spared IS NOT NULL THEN pruned_r.pruned_spared{gone_below} END AS reason,
       pruned_r.pruned_matters AS matters{before}
FROM {keys}
LEFT JOIN LATERAL (
  SELECT true AS pruned_there, CASE WHEN {match} THEN CASE WHEN {due} THEN {spared} WHEN {where} THEN 'keep' ELSE 'where' END ELSE 'where' END AS pruned_spared,
         ({matters}) AS pruned_matters{before_there}
  FROM {table} WHERE {match}{by}) AS pruned_r ON true
ORDER BY pruned_k.pruned_pos
