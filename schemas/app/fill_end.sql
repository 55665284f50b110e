-- Ends what fill_begin.sql began: nothing of it stays. Sequences continue after the ids that were
-- given.

DROP TRIGGER complete ON users;
DROP TRIGGER complete ON namespaces;
DROP TRIGGER follow ON namespaces;
DROP TRIGGER complete ON projects;
DROP TRIGGER follow ON projects;
DROP TRIGGER complete ON members;
DROP TRIGGER complete ON todos;
DROP FUNCTION pg_temp.complete_user(), pg_temp.complete_namespace(), pg_temp.follow_namespace(),
    pg_temp.complete_project(), pg_temp.follow_project(), pg_temp.complete_member(), pg_temp.complete_todo(),
    pg_temp.add_route(text, bigint, bigint, bigint, text, text, timestamp);

DO $$
DECLARE
    relation regclass;
BEGIN
    FOR relation IN
        SELECT a.attrelid::regclass FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attname = 'id'
        AND pg_catalog.pg_get_serial_sequence(a.attrelid::regclass::text, 'id') IS NOT NULL
    LOOP
        EXECUTE pg_catalog.format('SELECT pg_catalog.setval(pg_catalog.pg_get_serial_sequence(%L, %L),'
            ' pg_catalog.max(id)) FROM %s HAVING pg_catalog.max(id) IS NOT NULL', relation, 'id', relation);
    END LOOP;
END $$;
ANALYZE;
