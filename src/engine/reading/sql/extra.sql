,
pruned_found AS MATERIALIZED (
  SELECT f.n, f.wrong, f.sure FROM (
{reading}
  ) AS f JOIN pruned_gone pruned_g ON pruned_g.n = f.n
  WHERE ({below}) IS NOT TRUE
),
-- What the record of a row would put back, recorded once more: the first column that is another one
-- then. Columns that were altered since (`:lacking`) are not compared. Most rows are alike as a
-- whole.
pruned_lost AS MATERIALIZED (
  SELECT g.key, (SELECT pg_catalog.min(k.key) FROM pg_catalog.jsonb_each(g.json) AS k
                 WHERE r.json ? k.key AND k.key <> ALL (:lacking::text[]) AND r.json -> k.key IS DISTINCT FROM k.value) AS name
  FROM pruned_gone g
  CROSS JOIN LATERAL (SELECT pruned.recorded(g.row, (SELECT pruned.texts_of((:whole::text)::pg_catalog.regclass::oid))) AS json OFFSET 0) AS r
  WHERE {back} AND r.json <> g.json
)
SELECT (SELECT pg_catalog.count(*) FROM pruned_gone) AS read,
       (SELECT pg_catalog.count(DISTINCT f.n) FROM pruned_found f WHERE f.sure) AS wrong,
       (SELECT pg_catalog.count(DISTINCT f.n) FROM pruned_found f WHERE NOT EXISTS (SELECT FROM pruned_found o WHERE o.n = f.n AND o.sure)) AS unsure,
       (SELECT pg_catalog.count(*) FROM pruned_lost l WHERE l.name IS NOT NULL) AS lost, x.key, x.says, x.sure, x.lost AS is_lost
FROM (VALUES (1)) AS o (one)
LEFT JOIN (
  (SELECT g.key, f.wrong AS says, f.sure, false AS lost FROM pruned_found f JOIN pruned_gone g ON g.n = f.n ORDER BY NOT f.sure, f.n LIMIT 100)
  UNION ALL
  (SELECT l.key, 'its record does not bring it back as it was: column ' || l.name, true, true FROM pruned_lost l WHERE l.name IS NOT NULL LIMIT 100)) AS x ON true
