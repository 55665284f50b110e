-- The rows of {table} in `pruned_gone` that the condition does not name, asked of each as the audit
-- has it, that `keep` spares, or that the run's event does not name. `sure`: the condition reads no
-- other rows, so it says today what it said then. The rows that have gone have other names here: in
-- the condition, a name is that of a column of the table.
SELECT pruned_g.pruned_n AS n,
       CASE WHEN NOT pruned_x.pruned_asked THEN 'the event of the run names another row'
            WHEN NOT pruned_x.pruned_named THEN 'its condition (where) does not name it' ELSE '`keep` spares it: it is among the rows of its group that stay' END AS wrong,
       NOT pruned_x.pruned_asked OR NOT pruned_x.pruned_named AND {sure} AS sure
FROM pruned_gone AS pruned_g (pruned_n, pruned_step, pruned_at, pruned_key, pruned_json, pruned_row)
CROSS JOIN LATERAL (SELECT pruned_g.pruned_row) AS pruned_r
CROSS JOIN LATERAL (
  SELECT ({where}) IS TRUE AS pruned_named, ({beyond}) IS TRUE AS pruned_beyond, ({asked}) IS TRUE AS pruned_asked FROM (SELECT (pruned_g.pruned_row).*) AS {own}) AS pruned_x
WHERE NOT pruned_x.pruned_named OR NOT pruned_x.pruned_beyond OR NOT pruned_x.pruned_asked
