-- What is held, a row a table: its rows, how many of them a restore holds, how many of
-- `pruned hold` end within a week and when the first does, and since when the oldest is. `gone`:
-- there is no such table any more. Reads holds once.
SELECT h.tab, pg_catalog.count(DISTINCT h.key) AS rows, pg_catalog.count(DISTINCT h.key) FILTER (WHERE h.kind = 'restored') AS restored,
       pg_catalog.to_char(pg_catalog.min(h.at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS oldest,
       pg_catalog.count(DISTINCT h.key) FILTER (WHERE h.until < now() + interval '7 days') AS ends,
       pg_catalog.to_char(pg_catalog.min(h.until) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI UTC') AS first_end,
       (pg_catalog.array_agg(h.hold_id ORDER BY h.at))[1] AS hold_id,
       CASE WHEN h.tab ~ '^("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)[.]("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)$' THEN pg_catalog.to_regclass(h.tab) END IS NULL
         AND NOT EXISTS (SELECT FROM pruned.held_tables t JOIN pg_catalog.pg_class c ON c.oid = t.rel WHERE t.tab = h.tab) AS gone
FROM pruned.holds h
WHERE h.until IS NULL OR h.until > now()
GROUP BY h.tab
ORDER BY h.tab
