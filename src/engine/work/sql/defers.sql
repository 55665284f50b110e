-- Whether some trigger waits for the end of its transaction. A foreign key that does only fails
-- sooner.
SELECT EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tginitdeferred AND NOT t.tgisinternal) AS defers
