-- Part of statements: the table that the item `q.item` names, as it is written there; null: none.
-- A quoted name can have colons.
pg_catalog.substring(q.item, '^((?:"(?:[^"]|"")*"|[^":])*):')
