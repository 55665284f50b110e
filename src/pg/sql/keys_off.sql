-- Before a transaction commits that has changed rows of the tables `:tables`, or of what they reach
-- (`:rels`, keys_reach.sql): fails, with the reason in the error's text, if PostgreSQL did not keep
-- a key, because a trigger behind it is off, or all are in this session. Which rows of which table
-- went or changed says PostgreSQL's own count. Tables are locked by their changes, so that no
-- trigger goes off or on between these and this. By indexes of the catalogue.
SELECT pg_catalog.current_setting(pg_catalog.format('pruned refuses: %s :pruned', r.reason))
FROM (
  SELECT 'session_replication_role is replica in this session, so PostgreSQL keeps no foreign key and runs no trigger: set it back where it is set '
         '(ALTER ROLE, ALTER DATABASE, [postgres] url, a trigger)' AS reason
  WHERE pg_catalog.current_setting('session_replication_role') = 'replica'
  UNION ALL
  SELECT pg_catalog.format('the trigger %I of %s %s, so PostgreSQL does not keep %s of %s: ALTER TABLE %s ENABLE TRIGGER ALL', g.tgname, t.rel::regclass,
                           CASE g.tgenabled WHEN 'D' THEN 'is disabled' ELSE 'runs only for replication' END, k.conname, k.conrelid::regclass, t.rel::regclass)
  FROM (
    SELECT coalesce(pg_catalog.to_regclass(n.name), pg_catalog.to_regclass(pg_catalog.quote_ident(n.name)))::oid AS rel FROM pg_catalog.unnest(:tables::text[]) AS n (name)
    UNION ALL
    SELECT n.rel FROM pg_catalog.unnest(:rels::oid[]) AS n (rel)
    WHERE pg_catalog.pg_stat_get_xact_tuples_deleted(n.rel) + pg_catalog.pg_stat_get_xact_tuples_updated(n.rel) + pg_catalog.pg_stat_get_xact_tuples_inserted(n.rel) > 0
       OR NOT pg_catalog.current_setting('track_counts')::bool) AS t
  CROSS JOIN LATERAL (
    SELECT g.tgname, g.tgenabled, g.tgconstraint FROM pg_catalog.pg_trigger g
    WHERE g.tgrelid = t.rel AND g.tgenabled IN ('D', 'R') AND g.tgconstraint <> 0 AND (
      NOT pg_catalog.current_setting('track_counts')::bool
      OR g.tgtype & 8 <> 0 AND pg_catalog.pg_stat_get_xact_tuples_deleted(t.rel) > 0
      OR g.tgtype & 16 <> 0 AND pg_catalog.pg_stat_get_xact_tuples_updated(t.rel) > 0
      OR g.tgtype & 4 <> 0 AND pg_catalog.pg_stat_get_xact_tuples_inserted(t.rel) > 0) OFFSET 0) AS g
  CROSS JOIN LATERAL (
    SELECT k.conname, k.conrelid FROM pg_catalog.pg_constraint k WHERE k.oid = g.tgconstraint AND k.contype IN ('f', 'p', 'u', 'x') OFFSET 0) AS k) AS r
LIMIT 1
