-- The key that an event names, as page.sql writes it: `:parts` are the values of the primary key's columns. Fails if one is no value of its column.
SELECT {event_key} AS key
