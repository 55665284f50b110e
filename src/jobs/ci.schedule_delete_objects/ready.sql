-- How many slots the ready objects fill; at most fifty times a hundred are counted. Fast because
-- the index on pick_up_at is read from its beginning, for 5000 entries.
SELECT least(:slots::int, pg_catalog.ceil(count(*)::numeric / 100.0))::int AS slots, count(*) AS ready
FROM (SELECT FROM ci_deleted_objects WHERE pick_up_at < now() ORDER BY pick_up_at LIMIT :slots::int * 100) AS o
