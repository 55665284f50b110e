,
pruned_found AS MATERIALIZED (
  SELECT f.n, f.wrong, f.sure FROM (
{reading}
  ) AS f JOIN pruned_gone pruned_g ON pruned_g.n = f.n
  WHERE ({below}) IS NOT TRUE
)
SELECT (SELECT pg_catalog.count(*) FROM pruned_gone) AS read,
       (SELECT pg_catalog.count(DISTINCT f.n) FROM pruned_found f WHERE f.sure) AS wrong,
       (SELECT pg_catalog.count(DISTINCT f.n) FROM pruned_found f WHERE NOT EXISTS (SELECT FROM pruned_found o WHERE o.n = f.n AND o.sure)) AS unsure,
       x.key, x.says, x.sure
FROM (VALUES (1)) AS o (one)
LEFT JOIN (SELECT g.key, f.wrong AS says, f.sure FROM pruned_found f JOIN pruned_gone g ON g.n = f.n ORDER BY NOT f.sure, f.n LIMIT 100) AS x ON true
