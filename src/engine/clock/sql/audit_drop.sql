-- Days of the audit and of the archive that are older than they are kept for go as a whole.
SELECT pruned.drop_days('deletions', (now() AT TIME ZONE 'UTC')::date - :audit_days::int),
       pruned.drop_days('runs_done', (now() AT TIME ZONE 'UTC')::date - :run_days::int)
