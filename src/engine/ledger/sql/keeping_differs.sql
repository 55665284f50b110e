-- Where the database keeps something for another time than it is told here, or for a time of its own, null: for that of all.
SELECT coalesce(k.what, w.what) AS what, k.days, w.days AS wanted
FROM ROWS FROM (pg_catalog.unnest(:what::text[]), pg_catalog.unnest(:days::int[])) AS w (what, days)
FULL JOIN pruned.keeping k ON k.what = w.what
WHERE k.days IS DISTINCT FROM w.days
ORDER BY 1
