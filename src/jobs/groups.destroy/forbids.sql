-- One query, made from the catalogue, for rows that forbid to delete the whole group: `tab`, `id`
-- and, for a restricting key, `kind` of the row it refers to. It runs once, before anything is
-- deleted; every portion checks again.
-- Not only keys to projects and namespaces forbid it, also those to a row that goes with them
-- (`way`: at most four keys away, by the shortest ways).
-- A table that any key with ON DELETE CASCADE ties to the group is left to its portion, because its
-- rows can be deleted in another way. Rows that belong elsewhere and only name a namespace of the
-- group, or lie below one where nothing removes them, are those of hold/30-strangers.sql and
-- drain/strangers.sql: `place` has all namespaces that a portion takes, also those of projects that
-- live elsewhere or are gone (chunk/children.sql).
-- Fast: at most a hundred thousand index look-ups, so that a huge group is not refused for the time
-- this takes. A column without an index is read if its table is small. What is not checked here is
-- left to the portion.
WITH RECURSIVE
-- include: known.sql
,
takes (rel, target) AS MATERIALIZED (
  SELECT conrelid, confrelid FROM pg_constraint WHERE contype = 'f' AND confdeltype = 'c' AND conparentid = 0
  UNION
  SELECT pg_catalog.to_regclass(tab)::oid, pg_catalog.to_regclass(target)::oid FROM known WHERE rule = 'c'
),
goes (rel) AS (
  SELECT pg_catalog.to_regclass(tab)::oid
  FROM unnest(ARRAY['projects', 'namespaces', 'namespace_details', 'group_deletion_schedules', 'ci_job_artifacts', 'members',
                    'notification_settings', 'redirect_routes', 'routes']) AS t (tab) WHERE pg_catalog.to_regclass(tab) IS NOT NULL
  UNION
  SELECT t.rel FROM goes g JOIN takes t ON t.target = g.rel WHERE t.rel IS NOT NULL
),
-- Keys of one column by which rows go with others.
leads (rel, col, target, refcol) AS MATERIALIZED (
  SELECT c.conrelid, a.attname, c.confrelid, f.attname FROM pg_constraint c
  JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
  JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = c.confkey[1]
  WHERE c.contype = 'f' AND c.confdeltype = 'c' AND c.conparentid = 0 AND pg_catalog.cardinality(c.conkey) = 1
  UNION
  SELECT a.attrelid, a.attname, pg_catalog.to_regclass(k.target)::oid, k.refcol
  FROM known k JOIN pg_attribute a ON a.attrelid = pg_catalog.to_regclass(k.tab) AND a.attname = k.col AND NOT a.attisdropped
  WHERE k.rule = 'c' AND pg_catalog.to_regclass(k.target) IS NOT NULL
),
-- Tables by schema and name: one can be called as a part of the query is.
placed (rel, place) AS (
  SELECT c.oid, pg_catalog.format('%s.%I', c.relnamespace::regnamespace, c.relname) FROM pg_class c WHERE c.relkind IN ('r', 'p')
),
-- How rows are found that go with the group.
base (rel, sql, depth) AS (
  SELECT pg_catalog.to_regclass(t.tab)::oid, t.sql, t.depth
  FROM (VALUES ('projects', 'SELECT x.* FROM project p JOIN projects x ON x.id = p.id', 0), ('namespaces', 'SELECT x.* FROM place p JOIN namespaces x ON x.id = p.id', 0),
               ('ci_job_artifacts', 'SELECT x.* FROM project p, LATERAL (SELECT x.* FROM ci_job_artifacts x WHERE x.project_id = p.id OFFSET 0) AS x', 1)) AS t (tab, sql, depth)
  UNION ALL
  SELECT pg_catalog.to_regclass(t.tab)::oid,
         pg_catalog.format('SELECT x.* FROM project p, LATERAL (SELECT x.* FROM %1$I x WHERE x.source_type = ''Project'' AND x.source_id = p.id OFFSET 0) AS x UNION ALL '
                           'SELECT x.* FROM place p, LATERAL (SELECT x.* FROM %1$I x WHERE x.source_type = ''Namespace'' AND x.source_id = p.id OFFSET 0) AS x', t.tab), 1
  FROM unnest(ARRAY['members', 'notification_settings', 'redirect_routes', 'routes']) AS t (tab)
),
reach (rel, depth) AS (
  SELECT b.rel, b.depth FROM base b WHERE b.rel IS NOT NULL AND pg_catalog.has_table_privilege(b.rel, 'SELECT')
  UNION
  SELECT l.rel, r.depth + 1 FROM reach r JOIN leads l ON l.target = r.rel
  WHERE r.depth < 4 AND (r.depth > 0 OR l.refcol = 'id') AND l.rel NOT IN (SELECT rel FROM base WHERE rel IS NOT NULL)
    AND l.rel IS DISTINCT FROM pg_catalog.to_regclass('users') AND pg_catalog.has_table_privilege(l.rel, 'SELECT')
),
nearest AS MATERIALIZED (SELECT rel, pg_catalog.min(depth) AS depth FROM reach GROUP BY rel),
way (rel, sql, depth) AS (
  SELECT b.rel, b.sql COLLATE "C", b.depth FROM base b JOIN nearest n ON n.rel = b.rel
  UNION ALL
  SELECT l.rel, pg_catalog.format(CASE WHEN s.indexed THEN 'SELECT x.* FROM (%1$s) AS p, LATERAL (SELECT x.* FROM %2$s x WHERE x.%3$I = p.%4$I OFFSET 0) AS x'
                                       ELSE 'SELECT x.* FROM (%1$s) AS p JOIN %2$s x ON x.%3$I = p.%4$I' END, w.sql, t.place, l.col, l.refcol), n.depth
  FROM way w JOIN leads l ON l.target = w.rel JOIN nearest n ON n.rel = l.rel AND n.depth = w.depth + 1 JOIN placed t ON t.rel = l.rel, LATERAL (
    SELECT EXISTS (SELECT FROM pg_index i JOIN pg_attribute t ON t.attrelid = i.indrelid AND t.attnum = i.indkey[0]
                   WHERE i.indrelid = l.rel AND t.attname = l.col AND i.indisvalid AND i.indpred IS NULL) AS indexed) AS s
  WHERE (w.depth > 0 OR l.refcol = 'id') AND l.rel <> w.rel AND (s.indexed OR pg_catalog.pg_relation_size(l.rel) < 16 * 1024 * 1024)
),
restricting (rel, col, kind, what) AS (
  SELECT c.conrelid, a.attname, t.kind, t.what
  FROM (VALUES ('projects', 'project', 'project'), ('namespaces', 'namespace', 'place')) AS t (tab, kind, what)
  JOIN pg_constraint c ON c.confrelid = pg_catalog.to_regclass(t.tab) AND c.contype = 'f' AND c.confdeltype IN ('a', 'r') AND c.conparentid = 0
    AND pg_catalog.cardinality(c.conkey) = 1
  JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
  JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = c.confkey[1] AND f.attname = 'id'
  WHERE c.conrelid NOT IN (SELECT rel FROM goes) AND pg_catalog.has_table_privilege(c.conrelid, 'SELECT')
),
-- What is never taken along by a key, and which of its rows stay (`x`).
precious (tab, stays) AS (
  VALUES ('projects', 'x.namespace_id NOT IN (SELECT id FROM below)'),
         ('namespaces', '(x.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint]) IS NOT TRUE'),
         ('users', 'true'),
         ('members', 'CASE x.source_type::text'
            ' WHEN ''Project'' THEN EXISTS (SELECT FROM projects p WHERE p.id = x.source_id AND p.namespace_id NOT IN (SELECT id FROM below))'
            ' ELSE EXISTS (SELECT FROM namespaces n WHERE n.id = x.source_id AND (n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint]) IS NOT TRUE) END'),
         ('ci_job_artifacts', 'EXISTS (SELECT FROM projects p WHERE p.id = x.project_id AND p.namespace_id NOT IN (SELECT id FROM below))')
),
stray (rel, col, elsewhere) AS (
  SELECT pg_catalog.to_regclass(s.tab)::oid, s.col, s.elsewhere
  FROM (SELECT p.tab, CASE p.tab WHEN 'projects' THEN 'project_namespace_id' ELSE 'member_namespace_id' END AS col, p.stays AS elsewhere
        FROM precious p WHERE p.tab IN ('projects', 'members')
        UNION ALL
        SELECT 'namespaces', 'parent_id', '((x.type::text IN (''Group'', ''Project'')) IS NOT TRUE OR x.parent_id NOT IN (SELECT id FROM below))'
        UNION ALL
        -- A path of something that still stands when this place goes: projects go before groups,
        -- and groups from the deepest up.
        SELECT tab, 'namespace_id',
               'CASE x.source_type::text'
               ' WHEN ''Project'' THEN EXISTS (SELECT FROM projects p WHERE p.id = x.source_id'
               ' AND (p.namespace_id NOT IN (SELECT id FROM below) OR d.own AND EXISTS (SELECT FROM projects o WHERE o.project_namespace_id = d.id AND o.id <> p.id)))'
               ' ELSE x.source_id <> d.id AND EXISTS (SELECT FROM namespaces n WHERE n.id = x.source_id'
               ' AND ((n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint]) IS NOT TRUE'
               ' OR n.type::text = ''Group'' AND (d.own OR pg_catalog.cardinality(n.traversal_ids) < d.depth))) END'
        FROM unnest(ARRAY['routes', 'redirect_routes']) AS t (tab)) AS s
  WHERE EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = pg_catalog.to_regclass(s.tab) AND a.attname = s.col AND NOT a.attisdropped)
),
-- Other keys of what is never taken along, to the projects or namespaces.
keyed (rel, col, kind, what, elsewhere) AS (
  SELECT c.conrelid, a.attname, t.kind, t.what, p.stays
  FROM (VALUES ('projects', 'project', 'project'), ('namespaces', 'namespace', 'place')) AS t (tab, kind, what)
  JOIN pg_constraint c ON c.confrelid = pg_catalog.to_regclass(t.tab) AND c.contype = 'f' AND c.confdeltype IN ('a', 'r', 'c') AND c.conparentid = 0
    AND pg_catalog.cardinality(c.conkey) = 1
  JOIN precious p ON pg_catalog.to_regclass(p.tab) = c.conrelid
  JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
  JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = c.confkey[1] AND f.attname = 'id'
  WHERE (c.conrelid, a.attname) NOT IN (SELECT s.rel, s.col FROM stray s) AND (c.conrelid, a.attname) NOT IN (SELECT r.rel, r.col FROM restricting r)
    AND pg_catalog.has_table_privilege(c.conrelid, 'SELECT')
),
-- Keys to what goes with the projects and namespaces: what they forbid, and what is never taken
-- along.
further (rel, col, kind, what, elsewhere, same, id) AS (
  SELECT c.conrelid, k.col, w.rel::regclass::text, pg_catalog.format('(SELECT x.* FROM (%s) AS x LIMIT <most>)', w.sql), coalesce(p.stays, 'true'), k.same, k.id
  FROM way w JOIN pg_constraint c ON c.confrelid = w.rel AND c.contype = 'f' AND c.conparentid = 0
  LEFT JOIN precious p ON pg_catalog.to_regclass(p.tab) = c.conrelid, LATERAL (
    SELECT pg_catalog.string_agg(pg_catalog.format('x.%I = d.%I', a.attname, f.attname), ' AND ') AS same, (pg_catalog.array_agg(a.attname ORDER BY u.n))[1] AS col,
           pg_catalog.string_agg(pg_catalog.format('d.%I::text', f.attname), ' || '', '' || ' ORDER BY u.n) AS id, pg_catalog.min(f.attname) AS refcol
    FROM unnest(c.conkey, c.confkey) WITH ORDINALITY AS u (child, parent, n)
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = u.child
    JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = u.parent) AS k
  WHERE (w.depth > 0 OR pg_catalog.cardinality(c.conkey) > 1 OR k.refcol <> 'id')
    AND CASE WHEN p.tab IS NULL THEN c.confdeltype IN ('a', 'r') AND c.conrelid NOT IN (SELECT rel FROM goes) ELSE c.confdeltype IN ('a', 'r', 'c') END
    AND pg_catalog.has_table_privilege(c.conrelid, 'SELECT')
),
asked (rel, col, kind, what, elsewhere, same, id) AS (
  SELECT rel, col, kind, what, 'true', pg_catalog.format('x.%I = d.id', col), 'd.id' FROM restricting
  UNION ALL
  SELECT rel, col, NULL, 'place', elsewhere, pg_catalog.format('x.%I = d.id', col), 'x.id' FROM stray
  UNION ALL
  SELECT rel, col, kind, what, elsewhere, pg_catalog.format('x.%I = d.id', col), 'd.id' FROM keyed
  UNION ALL
  SELECT rel, col, kind, what, elsewhere, same, id FROM further
)
SELECT pg_catalog.format('WITH below AS MATERIALIZED (SELECT n.id, pg_catalog.cardinality(n.traversal_ids) AS depth FROM namespaces n WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint] AND n.type::text = ''Group''), '
              'project AS MATERIALIZED (SELECT p.* FROM below b, LATERAL ('
              'SELECT p.id, p.project_namespace_id FROM projects p WHERE p.namespace_id = b.id OFFSET 0) AS p LIMIT %1$s), '
              'place AS MATERIALIZED (SELECT id, false AS own, depth FROM below UNION SELECT n.id, true, NULL FROM project p, LATERAL ('
              'SELECT n.id FROM namespaces n WHERE n.id = p.project_namespace_id AND n.type::text = ''Project'' OFFSET 0) AS n '
              'UNION (SELECT n.id, true, NULL FROM below b, LATERAL ('
              'SELECT n.id FROM namespaces n WHERE n.parent_id = b.id AND n.type::text = ''Project'' OFFSET 0) AS n LIMIT %1$s) LIMIT %1$s) ',
              greatest(1000, 100000 / count(*)))
       || pg_catalog.replace(pg_catalog.string_agg(
            pg_catalog.format(CASE WHEN s.indexed THEN '(SELECT %1$L AS tab, %2$L AS kind, (%3$s)::text AS id FROM %4$s AS d, LATERAL (SELECT x.* FROM %7$s x WHERE %5$s OFFSET 0) AS x WHERE %6$s LIMIT 1)'
                                   ELSE '(SELECT %1$L AS tab, %2$L AS kind, (%3$s)::text AS id FROM %4$s AS d JOIN %7$s x ON %5$s WHERE %6$s LIMIT 1)' END,
                              a.rel::regclass, a.kind, a.id, a.what, a.same, a.elsewhere, t.place),
            ' UNION ALL '), '<most>', greatest(1000, 100000 / count(*))::text) || ' LIMIT 1' AS sql
FROM asked a JOIN pg_class c ON c.oid = a.rel JOIN placed t ON t.rel = a.rel, LATERAL (
  SELECT EXISTS (SELECT FROM pg_index i JOIN pg_attribute t ON t.attrelid = i.indrelid AND t.attnum = i.indkey[0]
                 WHERE i.indrelid = a.rel AND t.attname = a.col AND i.indisvalid AND i.indpred IS NULL) AS indexed) AS s
WHERE s.indexed OR c.relkind = 'r' AND pg_catalog.pg_relation_size(c.oid) < 16 * 1024 * 1024
