-- Rows in quarantine, and those of the others that the condition names. CASE: it is asked of no row
-- in quarantine, where it can fail. A hash table of the items, however many.
CASE WHEN {table_text} || ':' || ({key})::text IN (SELECT pruned_q.item FROM pruned.quarantine AS pruned_q WHERE pruned_q.job = :job::text)
  THEN true ELSE ({due}) END
