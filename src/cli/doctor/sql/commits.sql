-- Whether commits wait for a synchronous standby: `names`, empty if none is asked for; sessions of
-- this service that wait, and for how long; `away`: no standby is connected that could answer, as
-- far as this role may see that.
SELECT CASE WHEN pg_catalog.current_setting('synchronous_commit') IN ('off', 'local') THEN '' ELSE pg_catalog.current_setting('synchronous_standby_names') END AS names,
       s.waiting, s.age,
       NOT EXISTS (SELECT FROM pg_stat_replication r WHERE r.sync_state IS NULL OR r.sync_state IN ('sync', 'quorum')) AS away
FROM (
  SELECT count(*) AS waiting, pg_catalog.date_trunc('second', pg_catalog.max(now() - a.state_change))::text AS age
  FROM pg_stat_activity a
  WHERE a.wait_event = 'SyncRep' AND a.datname = current_database() AND
        -- include: ../../../engine/step/sql/own_session.sql
) AS s
