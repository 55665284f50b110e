-- Access requests of users (the same index as for users.destroy): without it every step reads the
-- whole table of members.
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_members_requests_user_id ON members (user_id) WHERE requested_at IS NOT NULL;
-- Schedules that are past their deadline.
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_members_deletion_schedules_created_at ON members_deletion_schedules (created_at);
