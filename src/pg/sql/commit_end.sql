-- How transaction `:number` of the server that runs since `:server` has ended: `committed`,
-- `aborted` or `in progress`; null: this is another server, or one that was restarted. `waits`: a
-- session that this role may see waits for a synchronous standby.
SELECT CASE WHEN pg_catalog.pg_postmaster_start_time()::text = :server::text THEN pg_catalog.txid_status(:number::bigint) END AS state,
       EXISTS (SELECT FROM pg_stat_activity a WHERE a.wait_event = 'SyncRep') AS waits
