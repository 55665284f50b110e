-- Releases what choose.sql has found, with the entries in quarantine that stand beside restored
-- rows. Runs that wait for what is held go on at once.
WITH given AS MATERIALIZED (
  SELECT g.id, pruned.held_table(g.tab) AS tab, g.key
  FROM ROWS FROM (pg_catalog.unnest(:id::text[]), pg_catalog.unnest(:tab::text[]), pg_catalog.unnest(:key::text[])) AS g (id, tab, key)
),
released AS (
  DELETE FROM pruned.holds h
  WHERE (h.tab, h.key, h.hold_id) IN (
    SELECT x.tab, x.key, x.hold_id FROM given g JOIN pruned.holds x ON g.id IS NOT NULL AND pg_catalog.starts_with(x.hold_id::text, g.id)
    UNION ALL
    SELECT x.tab, x.key, x.hold_id FROM given g JOIN pruned.holds x ON g.id IS NULL AND x.tab = g.tab AND x.key = g.key)
  RETURNING h.tab, h.key, h.hold_id, h.kind
),
let_go AS (
  SELECT r.tab, r.key FROM released r
  WHERE r.kind = 'restored'
    AND NOT EXISTS (SELECT FROM pruned.holds o WHERE o.tab = r.tab AND o.key = r.key AND o.kind = 'restored'
                    AND (o.tab, o.key, o.hold_id) NOT IN (SELECT x.tab, x.key, x.hold_id FROM released x))
),
beside AS MATERIALIZED (
  SELECT q.job, q.item, pruned.held_table(q.tab) AS tab, pg_catalog.substr(q.item, pg_catalog.length(q.tab) + 2) AS key
  FROM (SELECT q.job, q.item,
-- include: ../../../engine/step/sql/quarantine_table.sql
        AS tab FROM pruned.quarantine q WHERE q.parked AND q.reason = 'restored') AS q
),
dropped AS (
  DELETE FROM pruned.quarantine q USING beside b
  WHERE q.job = b.job AND q.item = b.item AND (b.tab, b.key) IN (SELECT l.tab, l.key FROM let_go l)
),
woken AS (
  UPDATE pruned.runs r SET due_at = now(), changed_at = clock_timestamp()
  WHERE r.state = 'waiting' AND r.error LIKE 'kept: %' AND r.due_at > now()
)
SELECT pg_catalog.count(*) AS n FROM released
