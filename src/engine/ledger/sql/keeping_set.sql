-- Sets what is kept, and how long, to the owner's configuration.
WITH wanted AS (SELECT * FROM ROWS FROM (pg_catalog.unnest(:what::text[]), pg_catalog.unnest(:days::int[])) AS w (what, days)),
others AS (DELETE FROM pruned.keeping k WHERE NOT EXISTS (SELECT FROM wanted w WHERE w.what = k.what))
INSERT INTO pruned.keeping AS k (what, days)
SELECT w.what, w.days FROM wanted w ORDER BY w.what
ON CONFLICT (what) DO UPDATE SET days = excluded.days WHERE k.days <> excluded.days
