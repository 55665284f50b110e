-- The first row with more rows below it than a step may remove. For each row no more are counted
-- than that. By the indexes of the foreign keys.
SELECT pruned_k.pruned_pos AS pos
FROM (SELECT pruned_k.* FROM {keys} ORDER BY pruned_k.pruned_pos) AS pruned_k
WHERE {counts} > :portion::bigint
ORDER BY pruned_k.pruned_pos
LIMIT 1
