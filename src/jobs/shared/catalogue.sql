-- A stamp of the catalogue's tables, indexes, keys and foreign keys, of rights, and of the columns
-- that the lists `:tables` and `:columns` name. It changes when one is created, renamed, granted,
-- altered or dropped, and when a table outgrows a thousand pages. Of other columns it does not see
-- that they are renamed, but then a statement that names one fails. Fast: some small tables of the
-- catalogue are read once; the named columns are looked up by index, one by one (OFFSET 0).
SELECT pg_catalog.concat_ws('/', t.stamp, i.stamp, k.stamp, m.stamp, n.stamp) AS stamp
FROM (SELECT pg_catalog.concat(count(*), ':', pg_catalog.sum(pg_catalog.hashint8extended(
               (c.oid::bigint << 31) + (c.relpages > 1000)::int, c.xmin::text::bigint))) AS stamp
      FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND c.oid >= 16384) AS t,
     (SELECT pg_catalog.concat(count(*), ':', pg_catalog.sum(pg_catalog.hashint8extended(x.indexrelid::bigint << 32, x.xmin::text::bigint))) AS stamp
      FROM pg_index x WHERE x.indexrelid >= 16384) AS i,
     (SELECT pg_catalog.concat(count(*), ':', pg_catalog.sum(pg_catalog.hashint8extended(c.oid::bigint << 32, c.xmin::text::bigint))) AS stamp
      FROM pg_constraint c WHERE c.contype IN ('f', 'p') AND c.oid >= 16384) AS k,
     (SELECT pg_catalog.concat(count(*), ':', pg_catalog.sum(pg_catalog.hashint8extended(m.roleid::bigint << 32, m.member::bigint)),
               ':', (SELECT pg_catalog.concat(r.oid, r.rolsuper, r.rolbypassrls) FROM pg_roles r WHERE r.rolname = current_user)) AS stamp
      FROM pg_auth_members m) AS m,
     (SELECT pg_catalog.concat(count(*), ':', pg_catalog.sum(pg_catalog.hashint8extended(a.attrelid::bigint << 16, a.attnum))) AS stamp
      FROM unnest(:tables::text[], :columns::text[]) AS w (tab, col),
           LATERAL (SELECT a.attrelid, a.attnum FROM pg_attribute a
                    WHERE a.attrelid = pg_catalog.to_regclass(pg_catalog.quote_ident(w.tab)) AND a.attname = w.col
                      AND NOT a.attisdropped OFFSET 0) AS a) AS n
