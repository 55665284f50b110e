pruned_archived AS (INSERT INTO {archive} ({archive_columns}) SELECT {archive_values} FROM {archived} AS pruned_a)
