-- The text of a query for rows that are held (`item`, `kind`) and name the user, in a column of
-- columns.sql: of tables that have such rows; null: there are none. Names are quoted by format.
-- Fast because only the catalogue is read, and of holds the tables' first ones.
WITH
-- include: columns.sql
SELECT pg_catalog.string_agg(pg_catalog.format(
         'SELECT pg_catalog.concat(%L, h.key) AS item, h.kind FROM %I c JOIN pruned.holds h ON h.tab = %L AND %s AND (h.until IS NULL OR h.until > now())'
         ' WHERE c.%I = :user_id::bigint', n.tab || ':', n.tab, k.tab, pruned.held_match(a.attrelid), n.col), ' UNION ALL ' ORDER BY n.tab, n.col) AS sql
FROM named n
JOIN pg_attribute a ON a.attrelid = pg_catalog.to_regclass(pg_catalog.format('%I', n.tab)) AND a.attname = n.col AND NOT a.attisdropped
CROSS JOIN LATERAL (SELECT pruned.held_table(n.tab) AS tab OFFSET 0) AS k
WHERE EXISTS (SELECT FROM pruned.holds h WHERE h.tab = k.tab)
