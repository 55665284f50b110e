-- Rows in quarantine, those that are held, and those of the others that the condition names. CASE:
-- it is asked of no row in quarantine, where it can fail. A hash table of the items, however many.
CASE WHEN {table_text} || ':' || pg_catalog.format('%s', {key}) COLLATE "C" IN (SELECT pruned_q.item FROM pruned.quarantine AS pruned_q WHERE pruned_q.job = :job::text)
       OR pg_catalog.format('%s', {key}) COLLATE "C" IN (SELECT h.key FROM pruned.holds AS h WHERE h.tab = (SELECT pruned.held_table({table_text})) AND
                            -- include: ../../sql/held_now.sql
                           )
  THEN true ELSE ({due}) END
