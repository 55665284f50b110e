-- Behind a statement that runs triggers of the application, which can set something for the rest of
-- the transaction: what a decision depends on is set as it was when the transaction began. One row
-- for each setting that was changed.
SELECT c.name, pg_catalog.set_config(c.name, c.was, true)
FROM (SELECT s.names, s.are, pg_catalog.current_setting('pruned.settings') AS were FROM (
-- include: settings.sql
     ) AS s OFFSET 0) AS n
CROSS JOIN LATERAL ROWS FROM (pg_catalog.unnest(n.names), pg_catalog.unnest(pg_catalog.string_to_array(n.were, pg_catalog.chr(31))),
                              pg_catalog.unnest(pg_catalog.string_to_array(n.are, pg_catalog.chr(31)))) AS c (name, was, is_now)
WHERE NOT pg_catalog.texteq(n.were, n.are) AND NOT pg_catalog.texteq(c.was, c.is_now)
