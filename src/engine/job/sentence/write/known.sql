-- Rows in quarantine, those that `pruned restore` holds from every job, and those of the others
-- that the condition names. CASE: it is asked of no row in quarantine, where it can fail. A hash
-- table of the items, however many.
CASE WHEN {table_text} || ':' || ({key})::text IN (SELECT pruned_q.item FROM pruned.quarantine AS pruned_q WHERE pruned_q.job = :job::text
    UNION ALL SELECT pruned_q.item FROM pruned.quarantine AS pruned_q WHERE pruned_q.parked AND pruned_q.reason = 'restored')
  THEN true ELSE ({due}) END
