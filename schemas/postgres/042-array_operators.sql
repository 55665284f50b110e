-- Schema `pruned`, step 42: two functions of 039-records.sql compared lists of texts by an operator
-- that another role can give the application's schema, where it fits `text[]` better than
-- PostgreSQL's own for any array.
-- compatible_from: 41

DO $$
DECLARE
    name text;
    known text;
BEGIN
    FOREACH name IN ARRAY ARRAY['pruned.recorded(anyelement, text[])', 'pruned.read_back(text, oid, text, text, jsonb[])'] LOOP
        known := pg_catalog.pg_get_functiondef(name::pg_catalog.regprocedure);
        EXECUTE pg_catalog.replace(pg_catalog.replace(known, 'IF texts = ''{}''', 'IF texts OPERATOR(pg_catalog.=) ''{}'''),
                                   'AND columns <> ''{}''', 'AND columns OPERATOR(pg_catalog.<>) ''{}''');
    END LOOP;
END
$$;
