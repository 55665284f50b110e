-- The objects of rows that have gone. A row says where its object lies; one that lists it again
-- keeps nothing.
SELECT g.key, (g.row).file_store::int AS file_store, (g.row).store_dir AS dir, (g.row).file, extract(epoch FROM g.at)::bigint AS at, true AS sure, NULL::text AS stays
FROM pruned_gone g
