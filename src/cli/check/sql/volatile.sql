-- Functions named `:words` that may give another answer each time they are asked. Reads the catalogue only.
SELECT DISTINCT p.proname AS name FROM pg_proc p WHERE p.proname = ANY (:words::text[]) AND p.provolatile = 'v' ORDER BY p.proname
