-- Schema `pruned`, step 53: rows that are held and are not there.
-- compatible_from: 41

-- missing: how many rows of `pruned hold` were not there when the table was last looked through.
ALTER TABLE pruned.held_tables ADD COLUMN missing bigint NOT NULL DEFAULT 0;

-- Of the tables TAB, N rows each are missing; of others none. With the rights of the schema's
-- owner.
CREATE FUNCTION pruned.held_missed(tab text[], n bigint[]) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE pruned.held_tables t SET missing = m.n
    FROM (SELECT k.tab, coalesce(pg_catalog.max(u.n), 0) AS n FROM pruned.held_tables k LEFT JOIN ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS u (tab, n) ON u.tab = k.tab GROUP BY k.tab) AS m
    WHERE m.tab = t.tab AND t.missing <> m.n
$$;
REVOKE ALL ON FUNCTION pruned.held_missed(text[], bigint[]) FROM PUBLIC;
DO $$
DECLARE
    member text;
BEGIN
    FOR member IN
        SELECT DISTINCT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee))
        FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) AS a
        WHERE c.oid = 'pruned.runs'::regclass AND a.privilege_type = 'UPDATE' AND a.grantee NOT IN (0, c.relowner)
    LOOP
        EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION pruned.held_missed(text[], bigint[]) TO %s', member);
    END LOOP;
END $$;
