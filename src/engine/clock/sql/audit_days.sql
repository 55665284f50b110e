-- Today's and tomorrow's partitions of the audit.
SELECT pruned.ensure_day('deletions', (now() AT TIME ZONE 'UTC')::date), pruned.ensure_day('deletions', (now() AT TIME ZONE 'UTC')::date + 1)
