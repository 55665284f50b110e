-- Rows of {table} that the condition names, and that are as they were before the run began: its
-- pages saw them (`:seen`). Fast by an index that fits the condition, as an empty page is.
SELECT {table_text} AS tab, pg_catalog.format('%s', {key}) AS key, 'its condition (where) names it, and it is still there' AS wrong
FROM {table}
WHERE ({where}) AND pg_catalog.age({own}.xmin) > pg_catalog.age(:seen::text::xid8::xid)
