-- As event_key.sql, for a key whose equal values can be written in several ways (`1.0` and `1.00`):
-- the key of the row that it names, if there is one, so that all events about a row have the same
-- key. Fast: each row is found by the primary key.
SELECT CASE WHEN {event_exact}
            THEN coalesce((SELECT {key} FROM {table} WHERE {event_matches} LIMIT 1), {event_key}) END AS key
FROM {event_parts}
ORDER BY pruned_p.pruned_pos
