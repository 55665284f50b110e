-- The key that an event names, as page.sql writes it: `:parts` are the values of the primary key's columns. NULL: a column of the key would cut
-- or round it, so that it would name another row. Fails if one is no value of its column's type.
SELECT CASE WHEN {event_exact} THEN {event_key} END AS key
FROM (SELECT {event_parts}) AS pruned_p
