-- Part of statements: `stirred` says whether a table of `touched` (keys_touched.sql) has a trigger
-- or a rule of the application, or `:tables` is null: then any table can change, because the
-- catalogue does not say what these do.
stirred AS (
  SELECT :tables::text[] IS NULL
         OR EXISTS (SELECT FROM touched t JOIN pg_catalog.pg_trigger g ON g.tgrelid = t.rel WHERE NOT g.tgisinternal AND g.tgenabled <> 'D' AND g.tgtype & 28 <> 0)
         OR EXISTS (SELECT FROM touched t JOIN pg_catalog.pg_rewrite w ON w.ev_class = t.rel WHERE w.ev_type <> '1' AND w.ev_enabled <> 'D') AS yes
)
