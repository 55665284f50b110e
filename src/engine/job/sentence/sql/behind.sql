-- What stands behind the SQL of `:text`: the functions that it calls, the views that it reads, and
-- what these call and read, to any depth; none of PostgreSQL's own. `text`: what it is made of.
-- `types`: of a function's arguments. `pathed`: it has a search_path of its own, or one of those
-- through which it is called has. `hides`: it switches row_security on, and `role`, as which it
-- runs, does not see all rows. A name without a schema is one that this path finds; in a function,
-- one of any schema. A name is all that can be one, also in a literal; what operators, casts and
-- aggregates call is not looked for. Reads the catalogue only, by name.
WITH RECURSIVE behind (class, oid, pathed, role, text) AS (
  SELECT ''::name, 0::oid, false, current_user::text, :text::text COLLATE "C"
  UNION
  SELECT x.class, x.oid, b.pathed OR x.pathed, coalesce(pg_catalog.pg_get_userbyid(x.owner)::text, b.role), x.text COLLATE "C"
  FROM behind b
  CROSS JOIN LATERAL (
    SELECT DISTINCT CASE WHEN w.part[1] LIKE '"%' THEN pg_catalog.btrim(w.part[1], '"') ELSE pg_catalog.lower(w.part[1]) END::name AS schema,
           CASE WHEN w.part[2] LIKE '"%' THEN pg_catalog.btrim(w.part[2], '"') ELSE pg_catalog.lower(w.part[2]) END::name AS name, w.part[3] IS NOT NULL AS called
    FROM pg_catalog.regexp_matches(pg_catalog.regexp_replace(pg_catalog.regexp_replace(b.text, '--[^\n]*', ' ', 'g'), '/\*.*?\*/', ' ', 'g'),
      '(?:("[^"]+"|[[:alpha:]_][[:alnum:]_$]*)\s*\.\s*)?("[^"]+"|[[:alpha:]_][[:alnum:]_$]*)(\s*\()?', 'g') AS w (part)) AS n
  CROSS JOIN LATERAL (
    SELECT 'function'::name AS class, p.oid, coalesce(pg_catalog.pg_get_function_sqlbody(p.oid), p.prosrc) AS text, CASE WHEN p.prosecdef THEN p.proowner END AS owner,
           EXISTS (SELECT FROM pg_catalog.unnest(p.proconfig) AS c (text) WHERE c.text LIKE 'search\_path=%') AS pathed
    FROM pg_proc p JOIN pg_namespace s ON s.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
    WHERE n.called AND p.proname = n.name AND l.lanname NOT IN ('c', 'internal') AND s.nspname NOT IN ('pg_catalog', 'information_schema', 'pruned')
      AND CASE WHEN n.schema IS NOT NULL THEN s.nspname = n.schema ELSE b.oid <> 0 OR pg_catalog.pg_function_is_visible(p.oid) END
    UNION ALL
    SELECT 'view', c.oid, pg_catalog.pg_get_viewdef(c.oid), NULL, false
    FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
    WHERE c.relname = n.name AND c.relkind = 'v' AND s.nspname NOT IN ('pg_catalog', 'information_schema', 'pruned')
      AND CASE WHEN n.schema IS NOT NULL THEN s.nspname = n.schema ELSE b.oid <> 0 OR pg_catalog.pg_table_is_visible(c.oid) END) AS x
)
SELECT b.class || ' ' || CASE b.class WHEN 'view' THEN b.oid::regclass::text ELSE b.oid::regprocedure::text END AS name, b.class = 'view' OR b.pathed AS pathed, b.text, b.role,
       (SELECT pg_catalog.string_agg(pg_catalog.format_type(t.oid, -1), ' ') FROM pg_catalog.unnest(p.proargtypes::oid[]) AS t (oid)) AS types,
       b.class = 'function' AND NOT coalesce((SELECT r.rolsuper OR r.rolbypassrls FROM pg_catalog.pg_roles r WHERE r.rolname = b.role), false)
         AND (b.text ~* '\mrow_security\M'
              OR EXISTS (SELECT FROM pg_catalog.unnest(p.proconfig) AS c (text) WHERE c.text LIKE 'row\_security=%' AND c.text !~* '=(of?f?|f|fa|fal|fals|false|no?|0)$')) AS hides
FROM behind b LEFT JOIN LATERAL (SELECT f.proargtypes, f.proconfig FROM pg_proc f WHERE f.oid = b.oid OFFSET 0) AS p ON b.class = 'function'
WHERE b.oid <> 0
ORDER BY b.oid, b.pathed, b.role
