-- Looks, under the lock, for the authorizations that nothing gives any more, or at another level, and for those that are
-- missing, and hands both on to the files that change them, in settings of the transaction: what is wanted is found out
-- once. Fast as wanted.sql is.
WITH
-- include: ../wanted.sql
,
stale AS (SELECT * FROM present EXCEPT SELECT * FROM wanted),
missing AS (SELECT * FROM wanted EXCEPT SELECT * FROM present)
SELECT set_config('pruned.stale', (SELECT coalesce(jsonb_agg(s), '[]') FROM stale s)::text, true) IS NOT NULL AS stale,
       set_config('pruned.missing', (SELECT coalesce(jsonb_agg(m), '[]') FROM missing m)::text, true) IS NOT NULL AS missing
