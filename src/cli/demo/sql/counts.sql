-- Rows by table, and for some tables the rows that a job looks for. The tables are small: all rows
-- are counted.
SELECT what, n FROM (VALUES
    (1, 'members', (SELECT count(*) FROM members)),
    (2, '  whose last day is over', (SELECT count(*) FROM members WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date)),
    (3, 'members_deletion_schedules', (SELECT count(*) FROM members_deletion_schedules)),
    (4, 'notification_settings', (SELECT count(*) FROM notification_settings)),
    (5, 'todos', (SELECT count(*) FROM todos)),
    (6, '  pending', (SELECT count(*) FROM todos WHERE state = 'pending')),
    (7, 'project_authorizations', (SELECT count(*) FROM project_authorizations)),
    (8, 'group_deletion_schedules', (SELECT count(*) FROM group_deletion_schedules)),
    (9, 'namespaces', (SELECT count(*) FROM namespaces)),
    (10, 'projects', (SELECT count(*) FROM projects)),
    (11, 'routes', (SELECT count(*) FROM routes)),
    (12, 'import_placeholder_user_details', (SELECT count(*) FROM import_placeholder_user_details)),
    (13, 'users', (SELECT count(*) FROM users)),
    (14, '  bots of projects and groups', (SELECT count(*) FROM users WHERE user_type = 6)),
    (15, 'issues', (SELECT count(*) FROM issues)),
    (16, 'notes', (SELECT count(*) FROM notes)),
    (17, 'merge_requests', (SELECT count(*) FROM merge_requests)),
    (18, 'ci_job_artifacts', (SELECT count(*) FROM ci_job_artifacts)),
    (19, 'ci_deleted_objects', (SELECT count(*) FROM ci_deleted_objects))
) AS counts(position, what, n)
ORDER BY position
