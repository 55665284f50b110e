-- What becomes of each row: it is gone, or kept because the condition no longer holds (`where`) or because it is among the newest
-- (`keep`), or `{word}`. Fast by primary key.
SELECT pruned_k.pruned_key AS key,
       CASE WHEN pruned_r.pruned_there IS NULL THEN 'gone' WHEN pruned_r.pruned_due THEN '{word}' ELSE 'kept' END AS what,
       CASE WHEN NOT pruned_r.pruned_due THEN pruned_r.pruned_reason END AS reason
FROM {keys}
LEFT JOIN LATERAL (
  SELECT true AS pruned_there, ({due}) IS TRUE AS pruned_due, CASE WHEN ({where}) IS TRUE THEN 'keep' ELSE 'where' END AS pruned_reason
  FROM {table} WHERE {match}) AS pruned_r ON true
ORDER BY pruned_k.pruned_pos
