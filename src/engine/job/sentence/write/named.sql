-- The keys of rows as the table has them: what is equal can be written in several ways. By primary
-- key.
SELECT {key} AS key FROM {table} JOIN {keys} ON {match}
