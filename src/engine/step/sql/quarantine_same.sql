-- Entry `q` is about row `t` as it is now: the row has not changed since it failed, or that does
-- not matter (its state is not known, or `pruned restore` holds it).
(q.state IS NULL OR q.parked AND q.reason = 'restored' OR q.state = pg_catalog.md5(pg_catalog.to_jsonb(t.*)::text))
