-- then:
pruned_archived AS (INSERT INTO {archive} ({archive_columns}) OVERRIDING SYSTEM VALUE SELECT {archive_values} FROM applied AS pruned_a)
