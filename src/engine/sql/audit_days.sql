-- Today's and tomorrow's partitions of the audit; what is older than it is kept for goes as a whole.
SELECT pruned.ensure_day('deletions', (now() AT TIME ZONE 'UTC')::date), pruned.ensure_day('deletions', (now() AT TIME ZONE 'UTC')::date + 1),
       pruned.drop_days('deletions', (now() AT TIME ZONE 'UTC')::date - :audit_days::int),
       pruned.drop_days('runs_done', (now() AT TIME ZONE 'UTC')::date - :run_days::int)
