-- What the cursor of page.sql wants.
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_members_expires_at_id ON members (expires_at, id);
