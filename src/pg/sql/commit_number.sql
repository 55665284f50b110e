-- The number of this transaction (null: it has changed nothing), and since when this server runs:
-- both are needed to ask later how it has ended.
SELECT pg_catalog.txid_current_if_assigned()::text AS number, pg_catalog.pg_postmaster_start_time()::text AS server
