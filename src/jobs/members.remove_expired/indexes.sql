-- The index for the cursor of page.sql.
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_members_expires_at_id ON members (expires_at, id);
-- For the few owners of a page, whose groups are locked.
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_members_owners_expires_at_id ON members (expires_at, id) WHERE source_type = 'Namespace' AND access_level = 50;
