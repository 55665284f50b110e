-- Rows by table, and of some tables those that a job looks for. Small tables: everything is counted.
SELECT what, n FROM (VALUES
    (1, 'members', (SELECT count(*) FROM members)),
    (2, 'members, expired', (SELECT count(*) FROM members WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date)),
    (3, 'members_deletion_schedules', (SELECT count(*) FROM members_deletion_schedules)),
    (4, 'users', (SELECT count(*) FROM users)),
    (5, 'users, project bots', (SELECT count(*) FROM users WHERE user_type = 6)),
    (6, 'namespaces', (SELECT count(*) FROM namespaces)),
    (7, 'projects', (SELECT count(*) FROM projects)),
    (8, 'group_deletion_schedules', (SELECT count(*) FROM group_deletion_schedules)),
    (9, 'notification_settings', (SELECT count(*) FROM notification_settings)),
    (10, 'todos', (SELECT count(*) FROM todos)),
    (11, 'todos, pending', (SELECT count(*) FROM todos WHERE state = 'pending')),
    (12, 'project_authorizations', (SELECT count(*) FROM project_authorizations)),
    (13, 'import_placeholder_user_details', (SELECT count(*) FROM import_placeholder_user_details)),
    (14, 'ci_job_artifacts', (SELECT count(*) FROM ci_job_artifacts)),
    (15, 'ci_deleted_objects', (SELECT count(*) FROM ci_deleted_objects))
) AS counts(position, what, n)
ORDER BY position
