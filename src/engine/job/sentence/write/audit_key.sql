-- A key that is given as texts, as the audit has it: `:parts_1` is the value of the first column of
-- the primary key, and so on. NULL: a column would cut or round it. Fails if one is no value of its
-- column's type. `in_json`: as rows in the audit have these columns, NULL: alike.
SELECT CASE WHEN {event_exact} THEN pg_catalog.to_jsonb({event_key}) END AS key, nullif({in_json}, pg_catalog.to_jsonb({event_key})) AS in_json
FROM {event_parts}
