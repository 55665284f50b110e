-- Owners of personal namespaces.
CREATE INDEX CONCURRENTLY IF NOT EXISTS pruned_namespaces_owner_id ON namespaces (owner_id) WHERE type = 'User';
