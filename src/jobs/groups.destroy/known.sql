-- A common table expression: references that the application keeps without a foreign key.
known (tab, col, target, refcol, rule) AS (
  VALUES ('project_group_links', 'project_id', 'projects', 'id', 'c'),
         ('project_group_links', 'group_id', 'namespaces', 'id', 'c'),
         ('project_authorizations', 'project_id', 'projects', 'id', 'c'), ('todos', 'project_id', 'projects', 'id', 'c'),
         ('todos', 'group_id', 'namespaces', 'id', 'c'), ('group_group_links', 'shared_group_id', 'namespaces', 'id', 'c'),
         ('group_group_links', 'shared_with_group_id', 'namespaces', 'id', 'c'),
         ('members_deletion_schedules', 'namespace_id', 'namespaces', 'id', 'c'),
         ('import_placeholder_user_details', 'namespace_id', 'namespaces', 'id', 'n'),
         ('issues', 'project_id', 'projects', 'id', 'c'), ('issue_assignees', 'issue_id', 'issues', 'id', 'c'),
         ('merge_requests', 'target_project_id', 'projects', 'id', 'c'),
         ('approvals', 'merge_request_id', 'merge_requests', 'id', 'c'),
         ('merge_request_assignees', 'merge_request_id', 'merge_requests', 'id', 'c'),
         ('merge_request_reviewers', 'merge_request_id', 'merge_requests', 'id', 'c'), ('notes', 'project_id', 'projects', 'id', 'c'),
         ('reviews', 'project_id', 'projects', 'id', 'c'), ('reviews', 'merge_request_id', 'merge_requests', 'id', 'c')
)
