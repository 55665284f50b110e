-- Chooses rows of {child} below the row, as many as a step may remove, and locks them, in the order
-- in which they are found. A setting of the transaction keeps table and place of each.
SELECT pg_catalog.set_config('{setting}', pg_catalog.concat(coalesce(pg_catalog.array_agg(pruned_l.pruned_part)::text, '{}'), ';', coalesce(pg_catalog.array_agg(pruned_l.pruned_place)::text, '{}')), true) IS NOT NULL AS chosen
FROM ({chosen}) AS pruned_l
