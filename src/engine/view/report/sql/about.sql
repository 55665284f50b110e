-- Of which database, when, and since which day it is kept what runs did (archive.sql).
SELECT pg_catalog.current_database() AS database, now() AS at, (now() AT TIME ZONE 'UTC')::date - 400 AS kept_from
