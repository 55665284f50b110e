-- The topics of events, of applications too, if there is an id that is older than the ledger keeps
-- runs, by the database's clock and by the last run that has ended. Else no row.
SELECT t.topic
FROM (SELECT :events::text AS topic
      UNION SELECT i.topic FROM pruned.intake i WHERE i.cluster_id = :cluster_id::text AND i.topic <> :ticks::text) AS t
WHERE EXISTS (SELECT FROM pruned.event_ids WHERE at < (SELECT least(now(), (SELECT pg_catalog.max(r.finished_at) FROM pruned.runs r WHERE r.finished_at IS NOT NULL))) - :run_days::int::float8 * interval '1 day')
