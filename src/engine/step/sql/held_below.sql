-- The held rows below the rows `:key` of the table `:table`, as a job names it: which of the keys
-- (`owner`), the held row as a command takes it, and the kind of the hold; the first of each key.
-- `:named`: tables whose rows go, also where a foreign key would only empty them; `:only_named`: no
-- others go with the keys; `:forbidding`: rows that forbid to delete others go with them. A row
-- without owner: something below cannot be read. By the indexes of foreign keys, and of holds.
SELECT DISTINCT ON (b.owner) b.owner, pg_catalog.concat(b.rel::regclass::text, ':', b.key) AS item, b.kind
FROM (SELECT
-- include: relation_named.sql
      AS top FROM (SELECT :table::text AS tab) AS n) AS t
CROSS JOIN LATERAL pruned.held_below(t.top, :key::text[],
  (SELECT pg_catalog.array_agg(coalesce(pg_catalog.pg_partition_root(
-- include: relation_named.sql
    )::oid, (
-- include: relation_named.sql
    ))) FROM pg_catalog.unnest(:named::text[]) AS n (tab)), :only_named::boolean, :forbidding::boolean) AS b
WHERE t.top IS NOT NULL
ORDER BY b.owner, b.kind, b.rel, b.key
