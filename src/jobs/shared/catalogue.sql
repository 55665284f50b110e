-- A stamp of what the catalogue says of tables, rights, keys and foreign keys: whatever is made, renamed, granted, altered or dropped
-- makes it another (a renamed column does not, but then what names it fails). Fast: two small tables of the catalogue are read once.
SELECT pg_catalog.concat_ws('/', t.stamp, k.stamp, m.stamp) AS stamp
FROM (SELECT pg_catalog.concat(count(*), ':', pg_catalog.sum(pg_catalog.hashint8extended(c.oid::bigint << 32, c.xmin::text::bigint))) AS stamp
      FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't') AS t,
     (SELECT pg_catalog.concat(count(*), ':', pg_catalog.sum(pg_catalog.hashint8extended(c.oid::bigint << 32, c.xmin::text::bigint))) AS stamp
      FROM pg_constraint c WHERE c.contype IN ('f', 'p')) AS k,
     (SELECT pg_catalog.concat(count(*), ':', pg_catalog.sum(pg_catalog.hashint8extended(m.roleid::bigint << 32, m.member::bigint))) AS stamp
      FROM pg_auth_members m) AS m
