-- For the rest of the transaction an index is used where there is one. The statements ask many
-- columns for one user, and are planned once for all users: where most rows belong to few of them,
-- the planner would read the whole table.
SELECT pg_catalog.set_config('enable_seqscan', 'off', true) AS enable_seqscan
