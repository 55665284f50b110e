-- Indexes for what the steps look up by group or project, and for the foreign keys of namespaces,
-- which are checked at every deleted namespace.
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_routes_namespace_id ON routes (namespace_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_redirect_routes_namespace_id ON redirect_routes (namespace_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_redirect_routes_source ON redirect_routes (source_type, source_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_notification_settings_source ON notification_settings (source_type, source_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_issues_project_id ON issues (project_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_merge_requests_target_project_id ON merge_requests (target_project_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_notes_project_id ON notes (project_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_approvals_merge_request_id ON approvals (merge_request_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_reviews_project_id ON reviews (project_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_reviews_merge_request_id ON reviews (merge_request_id);
