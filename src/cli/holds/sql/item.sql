-- A row as `holds` has it, from its table, as SQL writes it, and its key as JSON: one column as
-- text, several as the JSON that PostgreSQL writes.
SELECT pruned.held_table(:tab::text) AS tab,
       CASE WHEN pg_catalog.jsonb_typeof(:key::jsonb) = 'object' THEN :key::jsonb::text ELSE :key::jsonb #>> '{}' END AS key
