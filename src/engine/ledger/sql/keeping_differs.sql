-- Where the database keeps records for another time than given here. A null: the time that holds
-- for all, because that side has no time for this kind.
SELECT coalesce(k.what, w.what) AS what, k.days, w.days AS wanted
FROM ROWS FROM (pg_catalog.unnest(:what::text[]), pg_catalog.unnest(:days::int[])) AS w (what, days)
FULL JOIN pruned.keeping k ON k.what = w.what
WHERE k.days IS DISTINCT FROM w.days
ORDER BY 1
