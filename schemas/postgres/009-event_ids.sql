-- Schema `pruned`, step 9: the runs of events that have gone to the archive, by their id alone and for as long as Kafka keeps their topic. An
-- event that is sent again without `ce_time` has another T, by which the archive would not find its run.
CREATE TABLE pruned.event_ids (
    run_id uuid PRIMARY KEY,
    at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX event_ids_at ON pruned.event_ids (at);
INSERT INTO pruned.event_ids (run_id)
SELECT run_id FROM pruned.runs_done WHERE parent_id IS NULL ON CONFLICT DO NOTHING;
DO $$
DECLARE role text;
BEGIN -- who may read and write the table of runs may do so here
    FOR role IN SELECT DISTINCT grantee FROM information_schema.role_table_grants
                WHERE table_schema = 'pruned' AND table_name = 'runs' AND privilege_type = 'INSERT' AND grantee <> current_user
    LOOP
        EXECUTE pg_catalog.format('GRANT SELECT, INSERT, UPDATE, DELETE ON pruned.event_ids TO %I', role);
    END LOOP;
END $$;
