-- Of rows that name the same object, each leaves it to another: one after the other, so that the
-- last one does not.
SELECT pg_catalog.count(pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('pruned.objects'), pruned_l.pruned_n)) AS locked
FROM (SELECT DISTINCT pg_catalog.hashtext(pruned_u.pruned_object) & 63 AS pruned_n FROM pg_catalog.unnest(:shared::text[]) AS pruned_u (pruned_object) ORDER BY 1) AS pruned_l
