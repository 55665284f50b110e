-- The end of the primary's log, and which cluster and database this is. What is inserted and not
-- flushed cannot reach a standby, and may stay so while nobody commits: then this takes a
-- transaction id, so that its commit lets the server flush the log within 0.2 s (wal_writer_delay).
SELECT m.lsn::text AS lsn, (SELECT c.system_identifier::text FROM pg_control_system() c) || '/' || current_database()::text AS identity,
       CASE WHEN m.lsn > m.flushed THEN txid_current() END AS nudge
FROM (SELECT pg_current_wal_insert_lsn() AS lsn, pg_current_wal_flush_lsn() AS flushed) AS m
