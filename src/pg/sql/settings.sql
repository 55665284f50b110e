-- Part of statements: the settings that a decision depends on, and what they are now, as one text.
-- Every name is PostgreSQL's own, because `search_path` is one of them. A job's file may set none
-- of them (src/engine/job/step_calls.c). schemas/postgres/039-records.sql knows `role` and
-- `search_path` by their places.
SELECT '{session_authorization,role,row_security,search_path,timezone,datestyle,intervalstyle,extra_float_digits,bytea_output,'
       'standard_conforming_strings,array_nulls,quote_all_identifiers,transform_null_equals,gin_fuzzy_search_limit,client_encoding,'
       'synchronous_commit}'::pg_catalog.text[] AS names,
       pg_catalog.concat_ws(pg_catalog.chr(31),
         pg_catalog.current_setting('session_authorization'), pg_catalog.current_setting('role'), pg_catalog.current_setting('row_security'),
         pg_catalog.current_setting('search_path'), pg_catalog.current_setting('timezone'), pg_catalog.current_setting('datestyle'),
         pg_catalog.current_setting('intervalstyle'), pg_catalog.current_setting('extra_float_digits'), pg_catalog.current_setting('bytea_output'),
         pg_catalog.current_setting('standard_conforming_strings'), pg_catalog.current_setting('array_nulls'),
         pg_catalog.current_setting('quote_all_identifiers'), pg_catalog.current_setting('transform_null_equals'),
         pg_catalog.current_setting('gin_fuzzy_search_limit'), pg_catalog.current_setting('client_encoding'),
         pg_catalog.current_setting('synchronous_commit')) AS are
