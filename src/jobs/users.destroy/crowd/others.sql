-- The text of two queries for those of the users `:user_id` who are to go alone: something of
-- theirs goes with them that is neither a membership nor a column of columns.sql, such as a row
-- below a membership (`before`, before anything is done), or anything that roots.sql or a key would
-- take along or change is left (`after`, when all else is done). `below` looks once more for rows
-- below the memberships `:key`, which are locked by then; null: no key leads to memberships.
-- `alone`: all of them are, because such rows cannot be seen or deleted. `remove` deletes the rows
-- of their migrations. Names are quoted by format. Fast because only the catalogue is read;
-- memberships are asked in two halves, as in members/page.sql.
WITH
-- include: ../columns.sql
,
-- include: ../roots.sql
,
key AS (
  SELECT f.conrelid, c.*,
         pg_catalog.has_table_privilege(f.conrelid, 'SELECT')
           AND pg_catalog.has_table_privilege(f.conrelid, CASE f.confdeltype WHEN 'c' THEN 'DELETE' ELSE 'UPDATE' END) AS may,
         f.confrelid = pg_catalog.to_regclass('users') AS of_users, f.confrelid = pg_catalog.to_regclass('members') AS of_members
  FROM pg_constraint f, LATERAL (
    SELECT pg_catalog.string_agg(pg_catalog.format('x1.%I', a.attname), ', ' ORDER BY k.n) AS child,
           pg_catalog.string_agg(pg_catalog.format('x0.%I', b.attname), ', ' ORDER BY k.n) AS parent,
           CASE count(*) WHEN 1 THEN pg_catalog.min(a.attname::text) END AS col
    FROM unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (child, parent, n)
    JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.child
    JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = k.parent) AS c
  WHERE f.confrelid IN (pg_catalog.to_regclass('users'), pg_catalog.to_regclass('ghost_user_migrations'), pg_catalog.to_regclass('members'))
    AND f.contype = 'f' AND f.confdeltype IN ('c', 'n', 'd') AND f.conparentid = 0
),
found AS (SELECT pg_catalog.to_regclass('ghost_user_migrations')::oid AS attrelid),
-- include: ../../shared/row_keys.sql
,
test (sql, late) AS (
  SELECT pg_catalog.format('EXISTS (SELECT FROM %I x0 WHERE %s)', r.table_name, pg_catalog.replace(r.condition, ':user_id::bigint', 'u.id')),
         false
  FROM root r
  JOIN pg_attribute a ON a.attrelid = pg_catalog.to_regclass(pg_catalog.format('%I', r.table_name)) AND a.attname = r.column_name AND NOT a.attisdropped
  WHERE r.table_name NOT IN ('ghost_user_migrations', 'users')
  UNION
  SELECT pg_catalog.format('EXISTS (SELECT FROM %s x1 WHERE (%s) IN (SELECT %s FROM users x0 WHERE x0.id = u.id))', k.conrelid::regclass, k.child, k.parent),
         EXISTS (SELECT FROM named n WHERE pg_catalog.to_regclass(pg_catalog.format('%I', n.tab)) = k.conrelid AND n.col = k.col)
           OR (k.conrelid = pg_catalog.to_regclass('members') AND k.col = 'user_id')
  FROM key k
  WHERE k.of_users AND NOT (k.conrelid = pg_catalog.to_regclass('ghost_user_migrations') AND k.col IS NOT DISTINCT FROM 'user_id')
  UNION
  SELECT pg_catalog.format('EXISTS (SELECT FROM members x0 JOIN %s x1 ON (%s) = (%s) WHERE x0.user_id = u.id AND x0.requested_at %s)',
                k.conrelid::regclass, k.child, k.parent, h.half), false
  FROM key k, (VALUES ('IS NULL'), ('IS NOT NULL')) AS h (half)
  WHERE k.of_members
)
SELECT 'SELECT u.id AS user_id FROM pg_catalog.unnest(:user_id::bigint[]) AS u (id) WHERE '
         || pg_catalog.string_agg(t.sql, ' OR ' ORDER BY t.sql) FILTER (WHERE NOT t.late) AS before,
       'SELECT u.id AS user_id FROM pg_catalog.unnest(:user_id::bigint[]) AS u (id) WHERE '
         || pg_catalog.string_agg(t.sql, ' OR ' ORDER BY t.sql) AS after,
       (SELECT pg_catalog.string_agg(pg_catalog.format('SELECT %L AS relation WHERE EXISTS (SELECT FROM %s x1 WHERE (%s) IN (SELECT %s FROM members x0 WHERE x0.id = ANY (:key::bigint[])))',
                                 k.conrelid::regclass, k.conrelid::regclass, k.child, k.parent), ' UNION ALL ')
        FROM key k WHERE k.of_members) AS below,
       EXISTS (SELECT FROM key k WHERE NOT k.may OR NOT (k.of_users OR k.of_members)) AS alone,
       (SELECT pg_catalog.format('DELETE FROM ghost_user_migrations t WHERE t.user_id = ANY (:user_id::bigint[]) RETURNING %s AS key, pg_catalog.to_jsonb(t.*) AS row', r.audit)
        FROM row_key r) AS remove
FROM test t
