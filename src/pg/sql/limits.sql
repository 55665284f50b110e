-- What every transaction sets (docs/rules.md), for itself only. No jit: the planner's cost estimate
-- of a page can be far too high, and compiling took 5 s for a statement of 10 ms. No exit_on_error:
-- a row that fails would end the session, and no other would be tried. No transaction_timeout
-- (PostgreSQL 17): transactions have limits of ours. Values are written in full, and strings and
-- conditions read, as PostgreSQL does by default, whatever the database says: keys are texts, and a
-- search by an index leaves out no row. In the search_path, pg_catalog comes first and pg_temp
-- last: a path without pg_temp begins with it; null: path.sql has just set it. With row_security
-- off a statement fails, and names the table, if row-level security would hide rows from it: rows
-- that are not seen can be neither kept nor counted. This statement runs before the path is set, so
-- it qualifies all names.
-- `pruned.settings`: what is set, for settings_again.sql.
SELECT CASE WHEN :role::text OPERATOR(pg_catalog.<>) '' THEN pg_catalog.set_config('role', :role::text, true) END,
       pg_catalog.set_config('search_path', coalesce(:path::text, pg_catalog.current_setting('search_path')), true),
       pg_catalog.set_config('row_security', 'off', true),
       pg_catalog.set_config('statement_timeout', coalesce(:most::text, '15s'), true), pg_catalog.set_config('lock_timeout', '2s', true),
       pg_catalog.set_config('idle_in_transaction_session_timeout', '10s', true),
       pg_catalog.set_config('timezone', 'UTC', true), pg_catalog.set_config('datestyle', 'ISO', true),
       pg_catalog.set_config('extra_float_digits', '1', true), pg_catalog.set_config('intervalstyle', 'postgres', true),
       pg_catalog.set_config('bytea_output', 'hex', true), pg_catalog.set_config('standard_conforming_strings', 'on', true),
       pg_catalog.set_config('array_nulls', 'on', true), pg_catalog.set_config('quote_all_identifiers', 'off', true),
       pg_catalog.set_config('transform_null_equals', 'off', true), pg_catalog.set_config('gin_fuzzy_search_limit', '0', true),
       pg_catalog.set_config('jit', 'off', true), pg_catalog.set_config('exit_on_error', 'off', true),
       CASE WHEN pg_catalog.current_setting('transaction_timeout', true) IS NOT NULL
            THEN pg_catalog.set_config('transaction_timeout', '0', true) END,
       CASE WHEN :task::text OPERATOR(pg_catalog.<>) '' THEN pg_catalog.set_config('application_name', :task::text, true) END,
       pg_catalog.set_config('pruned.settings', (SELECT s.are FROM (
-- include: settings.sql
       ) AS s), true)
