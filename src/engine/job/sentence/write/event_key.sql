-- The keys that events name, as page.sql writes them: `:parts_1` are the values of the first column
-- of the primary key, and so on; one row for each event, in their order. NULL: a column of the key
-- would cut or round it, so that it would name another row. Fails if one is no value of its
-- column's type.
SELECT CASE WHEN {event_exact} THEN {event_key} END AS key
FROM {event_parts}
ORDER BY pruned_p.pruned_pos
