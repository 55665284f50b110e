-- The rows of {table} in `pruned_gone` that the condition does not name, asked of each as the audit
-- has it, or that the run's event does not name. `sure`: the condition reads no other rows, so it
-- says today what it said then. The rows that have gone have other names here: in the condition, a
-- name is that of a column of the table.
SELECT pruned_g.pruned_n AS n, CASE WHEN pruned_x.pruned_asked THEN 'its condition (where) does not name it' ELSE 'the event of the run names another row' END AS wrong,
       NOT pruned_x.pruned_asked OR {sure} AS sure
FROM pruned_gone AS pruned_g (pruned_n, pruned_step, pruned_at, pruned_key, pruned_json, pruned_row)
CROSS JOIN LATERAL (
  SELECT ({where}) IS TRUE AS pruned_named, ({asked}) IS TRUE AS pruned_asked FROM (SELECT (pruned_g.pruned_row).*) AS {own}) AS pruned_x
WHERE NOT pruned_x.pruned_named OR NOT pruned_x.pruned_asked
