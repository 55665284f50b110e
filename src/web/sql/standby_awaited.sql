-- Sessions of this service whose commit has waited for a synchronous standby for five seconds.
-- Reads the server's sessions; those of its own role are never hidden.
SELECT count(*) AS waiting FROM pg_stat_activity a
WHERE a.wait_event = 'SyncRep' AND a.datname = current_database() AND a.state_change < now() - interval '5 s' AND
      -- include: ../../engine/step/sql/own_session.sql
