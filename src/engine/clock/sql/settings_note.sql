-- The settings that differ from those of the daemon that said so last; these are what is known from
-- now on. `known`: some were known before. A setting that this program has and the last one did
-- not, or the other way round, has a null.
WITH given (name, value) AS (SELECT u.name, u.value FROM unnest(:name::text[], :value::text[]) AS u (name, value)),
changed AS MATERIALIZED (
  SELECT coalesce(g.name, s.name) AS name, g.value, s.value AS was
  FROM given g FULL JOIN pruned.settings s ON s.name = g.name
  WHERE s.value IS DISTINCT FROM g.value
),
gone AS (DELETE FROM pruned.settings s USING changed c WHERE s.name = c.name AND c.value IS NULL),
put AS (
  INSERT INTO pruned.settings (name, value) SELECT c.name, c.value FROM changed c WHERE c.value IS NOT NULL ORDER BY c.name
  ON CONFLICT (name) DO UPDATE SET value = excluded.value
)
SELECT c.name, c.value, c.was, EXISTS (SELECT FROM pruned.settings) AS known FROM changed c ORDER BY c.name
