-- Each row that is held, by table and key.
SELECT pg_catalog.concat(coalesce(pg_catalog.to_regclass(CASE WHEN h.tab ~ '^("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)[.]("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)$' THEN h.tab END)::text, h.tab), ':', h.key) AS row,
       h.hold_id, h.kind, CASE WHEN h.until <= now() THEN 'ended' ELSE 'holds' END AS state, h.until, h.reason
FROM pruned.holds h
ORDER BY h.tab, h.key, h.hold_id
