-- Schema `pruned`, step 9: archived runs of events, by their id alone, for as long as Kafka keeps
-- the messages of their topic. An event that is sent again without `ce_time` has another T, by
-- which the archive would not find its run.
CREATE TABLE pruned.event_ids (
    run_id uuid PRIMARY KEY,
    at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX event_ids_at ON pruned.event_ids (at);
INSERT INTO pruned.event_ids (run_id)
SELECT run_id FROM pruned.runs_done WHERE parent_id IS NULL ON CONFLICT DO NOTHING;
DO $$
DECLARE member text;
BEGIN -- roles that may write the table of runs may write here
    FOR member IN
        SELECT DISTINCT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee))
        FROM pg_class c, pg_catalog.aclexplode(c.relacl) AS a
        WHERE c.oid = 'pruned.runs'::regclass AND a.privilege_type = 'UPDATE' AND a.grantee NOT IN (0, c.relowner)
    LOOP
        EXECUTE pg_catalog.format('GRANT SELECT, INSERT, DELETE ON pruned.event_ids TO %s', member);
    END LOOP;
END $$;
