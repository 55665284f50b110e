-- Owners of personal namespaces (the same index as for users.refresh_authorizations); a user's
-- access requests; the ghost users.
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_namespaces_owner_id ON namespaces (owner_id) WHERE type = 'User';
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_members_requests_user_id ON members (user_id) WHERE requested_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_users_ghost ON users (id) WHERE user_type = 5;
