-- Today's and tomorrow's partitions of the audit; the days that are too old (old_days.sql) go.
SELECT pruned.ensure_day('deletions', (now() AT TIME ZONE 'UTC')::date), pruned.ensure_day('deletions', (now() AT TIME ZONE 'UTC')::date + 1),
       pruned.drop_days('deletions', :audit_before::date), pruned.drop_days('runs_done', :runs_before::date)
