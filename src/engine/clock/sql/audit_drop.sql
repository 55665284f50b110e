-- Drops the partitions (days) of the audit and of the archive that are past their retention.
SELECT pruned.drop_days('deletions', (now() AT TIME ZONE 'UTC')::date - :audit_days::int),
       pruned.drop_days('runs_done', (now() AT TIME ZONE 'UTC')::date - :run_days::int)
