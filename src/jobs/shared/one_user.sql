-- For the rest of the transaction: a statement fails, and names the table, if row-level security
-- would hide rows from it (see_all.sql), and an index is used where there is one. The statements
-- ask many columns for one user, and are planned once for all users: where most rows belong to few
-- of them, the planner would read the whole table.
SELECT pg_catalog.set_config('row_security', 'off', true) AS row_security, pg_catalog.set_config('enable_seqscan', 'off', true) AS enable_seqscan
