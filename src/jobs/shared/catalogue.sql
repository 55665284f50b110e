-- A stamp of the catalogue's tables, rights, keys and foreign keys. It changes when one is created,
-- renamed, granted, altered or dropped (not for a renamed column, but then a statement that names
-- it fails). Fast: two small tables of the catalogue are read once.
SELECT pg_catalog.concat_ws('/', t.stamp, k.stamp, m.stamp) AS stamp
FROM (SELECT pg_catalog.concat(count(*), ':', pg_catalog.sum(pg_catalog.hashint8extended(c.oid::bigint << 32, c.xmin::text::bigint))) AS stamp
      FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't') AS t,
     (SELECT pg_catalog.concat(count(*), ':', pg_catalog.sum(pg_catalog.hashint8extended(c.oid::bigint << 32, c.xmin::text::bigint))) AS stamp
      FROM pg_constraint c WHERE c.contype IN ('f', 'p')) AS k,
     (SELECT pg_catalog.concat(count(*), ':', pg_catalog.sum(pg_catalog.hashint8extended(m.roleid::bigint << 32, m.member::bigint))) AS stamp
      FROM pg_auth_members m) AS m
