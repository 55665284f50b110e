-- Of which database, when, and since which day the archive has runs.
SELECT pg_catalog.current_database() AS database, now() AS at,
       (SELECT pg_catalog.min(d.day) FROM pruned.nights d) AS first_day,
       (now() AT TIME ZONE 'UTC')::date - (SELECT k.days FROM pruned.keeping k WHERE k.what = 'runs_done') AS kept_from,
       (SELECT count(*) FROM pruned.holds h WHERE h.until IS NULL OR h.until > now()) AS held
