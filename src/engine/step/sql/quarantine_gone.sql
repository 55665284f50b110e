-- The text of a statement that deletes those entries of a job (`:key`, as text; of several columns
-- a JSON object) about the table `:tab` whose rows no longer exist, or have changed since they
-- failed (quarantine_same.sql; an empty state is none, too): the next run judges such a row anew,
-- if it is due at all. With the entry of a restored row its hold goes. `:version`: of the entry as
-- the page has read it. An entry that a step has written since stays: PostgreSQL does not look for
-- the row again when it has waited for an entry. No row: the table does not exist, has no primary
-- key, or the role may not read all of it. Where the key is a whole number or a UUID, what is none
-- stays; else the statement fails with SQLSTATE 22. Names are quoted by format. Fast because only
-- the catalogue is read.
SELECT pg_catalog.format('WITH gone AS (DELETE FROM pruned.quarantine q USING (SELECT u.key, u.version, %s FROM unnest(:key::text[], :version::text[]) AS u (key, version)) AS k'
              ' WHERE q.job = :job::text AND q.item = %L || k.key AND q.xmin::text = k.version AND %s AND NOT EXISTS (SELECT FROM %s t WHERE %s'
              ' AND (coalesce(q.state, '''') = '''' OR q.parked AND q.reason = ''restored'' OR q.state = pg_catalog.md5(pg_catalog.to_jsonb(t.*)::text)))'
              ' AND NOT (q.parked AND q.reason = ''restored'' AND q.first_at > now() - interval ''1 hour'')'
              ' RETURNING k.key, q.parked AND q.reason = ''restored'' AS held)'
              ' DELETE FROM pruned.holds h USING gone g WHERE g.held AND h.kind = ''restored'' AND h.tab = pruned.held_table(:held::text) AND h.key = g.key',
              pg_catalog.string_agg(c.value, ', ' ORDER BY c.n), :tab::text || ':', pg_catalog.string_agg(c.known, ' AND ' ORDER BY c.n), c.relation,
              pg_catalog.string_agg(c.condition, ' AND ' ORDER BY c.n)) AS sql
FROM (
  SELECT i.indrelid::regclass AS relation, k.n, pg_catalog.format('k.k%s IS NOT NULL', k.n) AS known,
         pg_catalog.format('t.%I %s k.k%s', a.attname,
-- include: ../../../pg/sql/key_operator.sql
                           , k.n) AS condition,
         pg_catalog.format(
-- include: quarantine_key.sql
                           , a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), k.n) AS value
  FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
  WHERE i.indrelid = coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.format('%I', :tab::text)))
    AND i.indisprimary AND k.n <= i.indnkeyatts AND pg_catalog.has_table_privilege(i.indrelid, 'SELECT')
    AND NOT pg_catalog.row_security_active(i.indrelid)) AS c
GROUP BY c.relation
