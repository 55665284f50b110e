-- Entry `q` is about row `t` as it is now: the row has not changed since it failed, or that does
-- not matter (its state is not known).
(q.state IS NULL OR q.state = pg_catalog.md5(pg_catalog.to_jsonb(t.*)::text))
