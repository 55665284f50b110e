-- Part of statements: the hold `h` is of the row that the item `q.item` names, as a job writes it,
-- and has not ended. `q.tab`: the table as it is written there.
h.tab = pruned.held_table(q.tab) AND h.key = pg_catalog.substr(q.item, pg_catalog.length(q.tab) + 2) AND
-- include: ../../job/sql/held_now.sql
