-- What becomes of each marked group: it is due, or restored because the user who marked it may not
-- delete it, or left alone, and why. A restored group also gets its name and path: without the
-- suffix of its deletion, or with five random characters if that path is taken by a route or by
-- another group of the page. Several groups of one line can be restored at once, so the walk goes
-- from the top down and puts each below the new path of the one above.
-- Fast by primary and unique keys; the rights start from the actors' own memberships.
WITH RECURSIVE k AS (SELECT * FROM pg_catalog.unnest(:key::bigint[]) WITH ORDINALITY AS k (id, pos)),
-- include: marked_group.sql
,
-- include: begun.sql
,
decision AS MATERIALIZED (
  SELECT p.*, coalesce(b.spent, false) AS spent,
         CASE WHEN p.group_id IS NULL THEN 'gone' WHEN NOT p.marked THEN 'unmarked' WHEN p.over IS NOT TRUE THEN 'early'
                   WHEN p.in_line IS NOT TRUE THEN 'broken' WHEN r.level = 50 OR b.spent THEN 'due' WHEN p.in_progress THEN 'in_progress'
                   ELSE 'restored' END AS what
  FROM page p JOIN rights r ON r.ask = p.key LEFT JOIN begun b ON b.key = p.key
),
wish AS MATERIALIZED (
  SELECT d.key, d.full_path, d.full_name, c.name, c.path, c.route,
         (SELECT pg_catalog.string_agg(pg_catalog.substr('abcdefghijklmnopqrstuvwxyz0123456789', 1 + pg_catalog.floor(random() * 36::float8)::int, 1), '')
          FROM pg_catalog.generate_series(1, 5) WHERE d.key IS NOT NULL) AS random,
         row_number() OVER (PARTITION BY c.route ORDER BY d.pos) > 1 AS twin,
         (SELECT a.key FROM decision a WHERE a.what = 'restored' AND a.key <> d.key AND a.key = ANY (d.traversal_ids)
          ORDER BY pg_catalog.cardinality(a.traversal_ids) DESC LIMIT 1) AS above
  FROM decision d,
  LATERAL (SELECT '(.)-(deletion_scheduled|deleted)-' || d.key::text || '$' AS suffix) AS s,
  LATERAL (SELECT pg_catalog.regexp_replace(d.name, s.suffix, '\1') AS name, pg_catalog.regexp_replace(d.path, s.suffix, '\1') AS path,
                  pg_catalog.regexp_replace(d.full_path, s.suffix, '\1') AS route) AS c
  WHERE d.what = 'restored'
),
restored (key, name, path, was_path, full_path, was_name, full_name) AS (
  SELECT w.key, w.name || t.ending, w.path || t.ending, w.full_path, w.route || t.ending,
         w.full_name, pg_catalog.regexp_replace(w.full_name, '(.)-(deletion_scheduled|deleted)-' || w.key::text || '$', '\1') || t.ending
  FROM wish w,
  LATERAL (SELECT CASE WHEN w.twin OR EXISTS (SELECT FROM routes x WHERE x.path::text = w.route
                                              AND (x.source_type::text, x.source_id) <> ('Namespace', w.key))
                       THEN '-' || w.random ELSE '' END AS ending) AS t
  WHERE w.above IS NULL
  UNION ALL
  SELECT w.key, w.name || t.ending, w.path || t.ending, w.full_path, c.route || t.ending,
         w.full_name, a.full_name || pg_catalog.substr(pg_catalog.regexp_replace(w.full_name, '(.)-(deletion_scheduled|deleted)-' || w.key::text || '$', '\1'),
                                            pg_catalog.length(a.was_name) + 1) || t.ending
  FROM restored a JOIN wish w ON w.above = a.key,
  LATERAL (SELECT a.full_path || pg_catalog.substr(w.route, pg_catalog.length(a.was_path) + 1) AS route) AS c,
  LATERAL (SELECT CASE WHEN w.twin OR EXISTS (SELECT FROM routes x WHERE x.path::text = c.route
                                              AND (x.source_type::text, x.source_id) <> ('Namespace', w.key))
                       THEN '-' || w.random ELSE '' END AS ending) AS t
)
SELECT d.key, d.what, d.pos - 1 AS position,
       CASE d.what WHEN 'unmarked' THEN 'Group has not been marked for deletion'
                   WHEN 'in_progress' THEN 'Group deletion is in progress'
                   WHEN 'early' THEN 'The grace period is not over'
                   WHEN 'broken' THEN 'traversal_ids ' || d.traversal_ids::text || ' are not the line of groups down to this one'
                   WHEN 'restored' THEN CASE WHEN d.state::text LIKE '%block%' OR d.state::text = 'banned'
                        THEN 'You can''t delete this group because you''re blocked.'
                        ELSE 'User ' || d.user_id::text || ' may not delete this group' END END AS reason,
       d.key AS group_id, d.user_id, d.username AS "user", d.full_path AS namespace, pg_catalog.cardinality(d.traversal_ids) AS depth,
       d.traversal_ids[1] AS root_namespace_id, d.spent, r.name, r.path, r.was_path, r.full_path, r.was_name, r.full_name,
       coalesce((SELECT pg_catalog.min(b.id)::text FROM users b WHERE b.user_type = 11 AND d.what = 'restored'), 'system') AS restored_by
FROM decision d LEFT JOIN restored r ON r.key = d.key
ORDER BY d.pos
