-- Each row that is held, by table and key: the first `limit` of them (null: all), of
-- `tables` (null: of any).
SELECT pg_catalog.concat(coalesce(pg_catalog.to_regclass(CASE WHEN h.tab ~ '^("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)[.]("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)$' THEN h.tab END)::text, h.tab), ':', h.key) AS row,
       h.hold_id, h.kind, CASE WHEN h.until <= now() THEN 'ended' ELSE 'holds' END AS state, h.until, h.reason
FROM pruned.holds h
WHERE :tables::text[] IS NULL OR h.tab IN (SELECT pruned.held_table(t.name) FROM pg_catalog.unnest(:tables::text[]) AS t (name))
ORDER BY h.tab, h.key, h.hold_id
LIMIT :limit::bigint
