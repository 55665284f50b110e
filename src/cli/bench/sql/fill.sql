-- Fills the temporary table with rows of the size of a membership.
INSERT INTO pg_temp.pruned_bench (id, day, row) SELECT i, current_date, pg_catalog.repeat('x', 200) FROM pg_catalog.generate_series(1, :rows::bigint) AS i
