-- Schema `pruned`, step 31: which columns of a table are not recorded.
-- compatible_from: 15

-- The rule, in one place. A column is not recorded if its name looks like that of a secret (SECRET,
-- a regular expression), its type can hold one, and the job does not record it all the same
-- (RECORD: a list of [table, column]). Numbers, times, booleans and enums hold no secret, nor do
-- domains, lists and ranges of them; any other type can. What is returned begins with how rows of
-- TAB are named: `none`, by no primary key; `several`, by one of several columns; `plain`, by one;
-- `hashed`, by one that is not recorded. The columns' names are behind it. It runs with the
-- caller's search_path, by which names of tables are read: each operator is PostgreSQL's own for
-- just these types, or named in full.
CREATE FUNCTION pruned.secret_columns(tab oid, secret text, record jsonb) RETURNS text[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    names text[];
BEGIN
    names := ARRAY(
        SELECT a.attname::text FROM pg_catalog.pg_attribute a
        JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
        JOIN pg_catalog.pg_type b ON b.oid = CASE WHEN y.typtype = 'd' THEN y.typbasetype ELSE y.oid END
        LEFT JOIN pg_catalog.pg_range g ON b.oid IN (g.rngtypid, g.rngmultitypid)
        LEFT JOIN pg_catalog.pg_type e ON e.oid = CASE b.typcategory WHEN 'A' THEN b.typelem WHEN 'R' THEN g.rngsubtype ELSE b.oid END
        WHERE a.attrelid = tab AND a.attnum > 0 AND NOT a.attisdropped AND a.attname::text ~* secret
          AND e.typcategory IN ('B', 'D', 'E', 'N', 'T') IS NOT TRUE
          AND NOT EXISTS (SELECT FROM pg_catalog.jsonb_array_elements(record) AS r (pair)
                          WHERE r.pair ->> 1 = a.attname::text AND pg_catalog.to_regclass(r.pair ->> 0)::oid = tab)
        ORDER BY a.attnum);
    RETURN coalesce((
        SELECT CASE WHEN i.indnkeyatts > 1 THEN 'several' WHEN p.attname::text = ANY (names) THEN 'hashed' ELSE 'plain' END
        FROM pg_catalog.pg_index i JOIN pg_catalog.pg_attribute p ON p.attrelid = i.indrelid AND p.attnum = i.indkey[0]
        WHERE i.indrelid = tab AND i.indisprimary), 'none') OPERATOR(pg_catalog.||) names;
END
$$;
REVOKE ALL ON FUNCTION pruned.secret_columns(oid, text, jsonb) FROM PUBLIC;

-- The daemons that there are go on.
DO $$
DECLARE
    member text;
BEGIN
    FOR member IN
        SELECT DISTINCT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee))
        FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) AS a
        WHERE c.oid = 'pruned.runs'::regclass AND a.privilege_type = 'UPDATE' AND a.grantee NOT IN (0, c.relowner)
    LOOP
        EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION pruned.secret_columns(oid, text, jsonb) TO %s', member);
    END LOOP;
END $$;
