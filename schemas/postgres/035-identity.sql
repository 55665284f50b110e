-- Schema `pruned`, step 35: whose database this is.
-- compatible_from: 15

-- One row. database: what its messages and the owner record in Kafka are compared with; it stays
-- when the database is restored from a backup, promoted or renamed. system_identifier and
-- database_oid: where the database was when it got it. Elsewhere it is a copy, and `pruned migrate
-- --identity` decides which of the two it is from now on. Null: not compared.
CREATE TABLE pruned.identity (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    database uuid NOT NULL,
    system_identifier bigint,
    database_oid oid,
    made_at timestamptz NOT NULL DEFAULT now()
);

INSERT INTO pruned.identity (database, system_identifier, database_oid)
SELECT pg_catalog.gen_random_uuid(), c.system_identifier, d.oid
FROM pg_catalog.pg_control_system() c CROSS JOIN pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database();

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
        EXECUTE pg_catalog.format('GRANT SELECT ON pruned.identity TO %s', member);
    END LOOP;
END $$;
