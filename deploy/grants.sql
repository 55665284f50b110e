-- The rights that the daemon and `pruned restore` need, and no more:
--   psql -v role=NAME [-v app_schema=public] -f deploy/grants.sql
-- Run it as the owner of the tables after `pruned migrate`; run it again after an upgrade. Tables that a database
-- does not have are left out.
\set ON_ERROR_STOP on
-- One transaction: a running daemon never misses a right.
BEGIN;
\if :{?app_schema}
\else
\set app_schema public
\endif
SELECT set_config('pruned.grants_role', :'role', false), set_config('pruned.grants_schema', :'app_schema', false) \g /dev/null

GRANT USAGE ON SCHEMA pruned, :"app_schema" TO :"role";
-- Takes back what an older version of this file granted, such as rights on days of the audit.
REVOKE ALL ON ALL TABLES IN SCHEMA pruned FROM :"role";
GRANT EXECUTE ON FUNCTION pruned.ensure_day(text, date), pruned.drop_days(text, date), pruned.keep_at_least(text[], integer[]),
    pruned.forget_journal() TO :"role";

DO $$
DECLARE
    role text := current_setting('pruned.grants_role');
    app  text := current_setting('pruned.grants_schema');
    t    text;
    r    text;
BEGIN
    -- Our own tables, each with the rights that are needed. The days of the audit and of the archive are used through their parents only.
    -- `deletions` can be read and added to: its rows stay until they are old enough (pruned.drop_days).
    FOR t, r IN
        SELECT c.relname, own.rights
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'pruned'
        LEFT JOIN (VALUES
            ('schema_version', 'SELECT'),
            ('runs', 'SELECT, INSERT, UPDATE, DELETE'),
            ('runs_done', 'SELECT, INSERT, UPDATE, DELETE'),
            ('unpublished', 'SELECT, INSERT, DELETE'),
            ('schedules', 'SELECT, INSERT, UPDATE, DELETE'),
            ('intake', 'SELECT, INSERT, UPDATE'),
            ('suspects', 'SELECT, INSERT, UPDATE, DELETE'),
            ('deletions', 'SELECT, INSERT'),
            ('keeping', 'SELECT'),
            ('quarantine', 'SELECT, INSERT, UPDATE, DELETE'),
            ('dirty_users', 'SELECT, INSERT, UPDATE, DELETE'),
            ('controls', 'SELECT, INSERT, UPDATE'),
            ('stop', 'SELECT, INSERT, UPDATE'),
            ('approved_versions', 'SELECT, INSERT'),
            ('mode', 'SELECT'),
            ('dead_verdicts', 'SELECT, INSERT, UPDATE, DELETE'),
            ('timers', 'SELECT, INSERT, UPDATE, DELETE'),
            ('lost_messages', 'SELECT, INSERT, UPDATE'),
            ('event_ids', 'SELECT, INSERT, DELETE'),
            ('blocked', 'SELECT, INSERT, UPDATE, DELETE'),
            ('job_states', 'SELECT, INSERT, UPDATE'),
            ('processes', 'SELECT, INSERT, UPDATE, DELETE'),
            ('journal', 'SELECT, INSERT'),
            ('settings', 'SELECT, INSERT, UPDATE, DELETE'),
            ('plans', 'SELECT, INSERT, DELETE')) AS own (name, rights) ON own.name = c.relname
        WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition
        ORDER BY c.relname
    LOOP
        IF r IS NULL THEN
            RAISE EXCEPTION 'table pruned.% is not in the list of this file: use the grants.sql of the version that created the table', t;
        END IF;
        EXECUTE format('GRANT %s ON pruned.%I TO %I', r, t, role);
    END LOOP;

    FOREACH t IN ARRAY ARRAY[
        -- table: rights. Row locks need UPDATE; `pruned restore` needs INSERT.
        'members:SELECT, INSERT, UPDATE, DELETE',
        'users:SELECT, INSERT, UPDATE, DELETE',
        'namespaces:SELECT, INSERT, UPDATE, DELETE',
        'namespace_details:SELECT, INSERT, UPDATE, DELETE',
        'projects:SELECT, INSERT, UPDATE, DELETE',
        'members_deletion_schedules:SELECT, INSERT, UPDATE, DELETE',
        'group_deletion_schedules:SELECT, INSERT, UPDATE, DELETE',
        'group_group_links:SELECT, INSERT, UPDATE, DELETE',
        'project_group_links:SELECT, INSERT, UPDATE, DELETE',
        'routes:SELECT, INSERT, UPDATE, DELETE',
        'redirect_routes:SELECT, INSERT, UPDATE, DELETE',
        'notification_settings:SELECT, INSERT, UPDATE, DELETE',
        'todos:SELECT, INSERT, UPDATE, DELETE',
        'project_authorizations:SELECT, INSERT, UPDATE, DELETE',
        'application_settings:SELECT',
        'import_placeholder_user_details:SELECT, INSERT, UPDATE, DELETE',
        'ci_deleted_objects:SELECT, INSERT, UPDATE, DELETE',
        'ci_job_artifacts:SELECT, INSERT, UPDATE, DELETE',
        'ghost_user_migrations:SELECT, INSERT, UPDATE, DELETE']
    LOOP
        r := split_part(t, ':', 2);
        t := split_part(t, ':', 1);
        IF to_regclass(format('%I.%I', app, t)) IS NULL THEN
            RAISE NOTICE 'table %.% does not exist: left out', app, t;
            CONTINUE;
        END IF;
        EXECUTE format('GRANT %s ON %I.%I TO %I', r, app, t, role);
    END LOOP;

    -- Tables that refer to a user (users.destroy moves or deletes those references): those with a foreign key from one of these columns,
    -- and those of the application that have no key. Grant others of `[jobs.users.destroy] references` by hand; without the right the job
    -- is blocked and names the table.
    FOR t IN
        SELECT DISTINCT c.relname
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = app AND c.relkind IN ('r', 'p')
        JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
        WHERE c.relname = ANY (ARRAY['approvals', 'award_emoji', 'notes', 'issues', 'issue_assignees', 'merge_requests',
                                      'reviews', 'abuse_reports', 'user_achievements'])
           OR a.attname = ANY (ARRAY['user_id', 'owner_id', 'author_id', 'assignee_id', 'last_edited_by_id', 'updated_by_id', 'closed_by_id',
                                     'latest_closed_by_id', 'merge_user_id', 'merged_by_id', 'resolved_by_id',
                                      'reporter_id', 'awarded_by_user_id', 'revoked_by_user_id'])
              AND EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.conkey = ARRAY[a.attnum]
                          AND f.confrelid = to_regclass(format('%I.%I', app, 'users')))
    LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I.%I TO %I', app, t, role);
    END LOOP;

    -- Tables whose rows a foreign key would delete or change when a group, a project or a user is removed: the daemon removes those rows
    -- itself and records them first. Rows of a table that was created later are removed by its key, unrecorded, until this file is run
    -- again.
    FOR t IN
        WITH RECURSIVE taken (rel, rule) AS (
            SELECT to_regclass(format('%I.%I', app, root.name))::oid, 'c'
            FROM unnest(ARRAY['namespaces', 'projects', 'users', 'members', 'routes', 'redirect_routes', 'todos',
                              'notification_settings', 'ci_job_artifacts', 'issues', 'merge_requests']) AS root (name)
            UNION
            SELECT c.conrelid, c.confdeltype::text FROM taken JOIN pg_constraint c ON c.confrelid = taken.rel
            WHERE c.contype = 'f' AND c.confdeltype IN ('c', 'n', 'd') AND taken.rule = 'c'
        )
        SELECT DISTINCT c.relname FROM taken JOIN pg_class c ON c.oid = taken.rel
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = app
    LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I.%I TO %I', app, t, role);
    END LOOP;

    -- Two of the application's tables, into which rows are inserted, take their ids from sequences.
    FOREACH t IN ARRAY ARRAY['ci_deleted_objects', 'ghost_user_migrations'] LOOP
        SELECT pg_get_serial_sequence(format('%I.%I', app, t), a.attname) INTO r FROM pg_attribute a
        WHERE a.attrelid = to_regclass(format('%I.%I', app, t)) AND a.attname = 'id' AND NOT a.attisdropped;
        IF r IS NOT NULL THEN
            EXECUTE format('GRANT USAGE ON SEQUENCE %s TO %I', r, role);
        END IF;
    END LOOP;
END $$;
COMMIT;
