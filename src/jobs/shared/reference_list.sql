-- A common table expression: the columns that refer to a user, of the list `:references` or the
-- built-in one, and of `:also`, whether this database has them or not. The built-in list omits
-- columns without an index on purpose: notes.updated_by_id, notes.resolved_by_id, events.author_id,
-- ci_pipelines.user_id, ci_builds.user_id, merge_requests.last_edited_by_id.
reference_list (pos, tab, col) AS (
  SELECT l.pos, pg_catalog.split_part(l.item, '.', 1), pg_catalog.split_part(l.item, '.', 2)
  FROM pg_catalog.regexp_split_to_table(pg_catalog.btrim(coalesce(nullif(:references::text, ''), '
      approvals.user_id; award_emoji.user_id; ci_pipeline_schedules.owner_id; design_management_versions.author_id;
      notes.author_id; epics.author_id; epics.assignee_id; epics.last_edited_by_id; epics.closed_by_id;
      issues.author_id; issues.updated_by_id; issues.closed_by_id; issues.last_edited_by_id; issue_assignees.user_id;
      lists.user_id; merge_requests.author_id; merge_requests.updated_by_id; merge_requests.merge_user_id;
      merge_request_metrics.merged_by_id; merge_request_metrics.latest_closed_by_id; merge_request_assignees.user_id;
      merge_request_reviewers.user_id; protected_tag_create_access_levels.user_id;
      protected_branch_merge_access_levels.user_id; protected_branch_push_access_levels.user_id; snippets.author_id;
      releases.author_id; resource_label_events.user_id; resource_milestone_events.user_id;
      resource_state_events.user_id; timelogs.user_id; vulnerabilities.author_id; vulnerabilities.resolved_by_id') || coalesce('; ' || :also::text, ''),
    E' \n;'), '\s*;\s*') WITH ORDINALITY AS l (item, pos)
)
