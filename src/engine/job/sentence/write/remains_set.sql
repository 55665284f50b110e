-- Rows of which a column was to get another value, and has the one before: a trigger keeps it. By
-- primary key.
SELECT 'a trigger sets ' || pruned_r.pruned_stays || ' back to what it was' AS reason
FROM {keys}
CROSS JOIN LATERAL (SELECT {stays} AS pruned_stays FROM {table} WHERE {match}) AS pruned_r
WHERE (:what::text[])[pruned_k.pruned_pos] = '{word}' AND pruned_r.pruned_stays IS NOT NULL
LIMIT 1
