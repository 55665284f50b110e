-- What becomes of each partition: it is gone, or kept because something else needs it, so that its
-- DROP would fail, or because a row in it is held (`hold`, `restored`), or `removed`. How many rows
-- it has is PostgreSQL's estimate. `pruned_goes`: what the DROP takes with it, such as indexes,
-- sequences and row types.
WITH due AS (
{due}
  UNION ALL
  SELECT r.relid, r.name, r.bound, r.lower, r.upper, r.upper_at, r.rows FROM pruned.partitions r
  WHERE (r.job = :job::text OR r.parent = pg_catalog.to_regclass({relation}) AND r.decided_at <= now() - interval '1 day')
    AND pg_catalog.to_regclass(r.name)::oid = r.relid
    AND r.detaching AND NOT EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = r.relid)
)
SELECT k.key, CASE WHEN d.relid IS NULL THEN 'gone' WHEN s.stays IS NOT NULL THEN 'kept' ELSE 'removed' END AS what,
       CASE WHEN d.relid IS NOT NULL THEN coalesce(s.stays, pg_catalog.format('%s, from %s to %s',
         CASE WHEN d.rows IS NULL THEN 'never analyzed' ELSE pg_catalog.format(CASE d.rows WHEN 1 THEN 'about %s row' ELSE 'about %s rows' END, d.rows) END, coalesce(d.lower, 'MINVALUE'), d.upper)) END AS reason
FROM pg_catalog.unnest(:key::text[]) WITH ORDINALITY AS k (key, pos)
LEFT JOIN due d ON d.name = k.key
LEFT JOIN LATERAL (
  WITH RECURSIVE pruned_tree (relid) AS (
    SELECT d.relid UNION ALL SELECT h.inhrelid FROM pruned_tree t JOIN pg_inherits h ON h.inhparent = t.relid),
  pruned_goes (class, object) AS (
    SELECT 'pg_class'::regclass::oid, t.relid FROM pruned_tree t
    UNION
    SELECT p.classid, p.objid FROM pruned_goes g JOIN pg_depend p ON p.refclassid = g.class AND p.refobjid = g.object
    WHERE p.deptype IN ('a', 'i', 'P', 'S') AND p.objsubid = 0)
  SELECT coalesce(
    pruned.held_within(d.relid, {relation}),
    (SELECT pg_catalog.min('a foreign table: ' || t.relid::regclass::text) FROM pruned_tree t JOIN pg_class x ON x.oid = t.relid WHERE x.relkind = 'f'),
    (SELECT pg_catalog.min('referred to by ' || f.conrelid::regclass::text) FROM pruned_tree t JOIN pg_constraint f ON f.confrelid = t.relid
     WHERE f.contype = 'f' AND f.conrelid NOT IN (SELECT o.relid FROM pruned_tree o)),
    (SELECT pg_catalog.min('used by ' || coalesce(w.ev_class::regclass::text, pg_catalog.pg_describe_object(p.classid, p.objid, p.objsubid)))
     FROM pruned_goes g
     JOIN pg_depend p ON p.refclassid = g.class AND p.refobjid = g.object AND p.deptype = 'n'
     LEFT JOIN pg_rewrite w ON p.classid = 'pg_rewrite'::regclass AND w.oid = p.objid
     WHERE NOT EXISTS (SELECT FROM pruned_goes o WHERE o.class = p.classid AND o.object = p.objid)),
    (SELECT pg_catalog.min('part of the extension ' || x.extname) FROM pruned_tree t
     JOIN pg_depend p ON p.classid = 'pg_class'::regclass AND p.objid = t.relid AND p.refclassid = 'pg_extension'::regclass AND p.deptype = 'e'
     JOIN pg_extension x ON x.oid = p.refobjid)) AS stays) AS s ON true
ORDER BY k.pos
