-- Is there an id of an event that is older than the ledger keeps runs? By the database's clock, and by the last run that has ended.
SELECT EXISTS (SELECT FROM pruned.event_ids WHERE at < (SELECT least(now(), (SELECT pg_catalog.max(r.finished_at) FROM pruned.runs r WHERE r.finished_at IS NOT NULL))) - :run_days::int::float8 * interval '1 day') AS old
