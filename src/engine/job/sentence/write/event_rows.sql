-- The rows that events name by other columns than the key, as their runs have them: each column and
-- the text of its value; one object for each event, in their order. NULL: a column would cut or
-- round it, so that it would name other rows. Fails if one is no value of its column's type. Where
-- equal values can be written in several ways, as a row has it, if there is one: by its index.
SELECT CASE WHEN {event_exact} THEN coalesce({event_known}, {event_key}) END AS key
FROM {event_parts}
ORDER BY pruned_p.pruned_pos
