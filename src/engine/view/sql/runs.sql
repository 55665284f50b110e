-- The newest matching runs of table and archive; with `:parents` only those that no run has
-- started. Each of the two is limited before they are combined. The newest of the archive are found
-- by an index; those of a state that few runs have are not: `:archive_from` is the T from which on
-- it is read, null: all of it.
(SELECT
 -- include: runs_columns.sql
 FROM pruned.runs r
 WHERE range_of IS NULL AND
 -- include: runs_matching.sql
 ORDER BY created_at DESC, run_id DESC LIMIT :limit::bigint)
UNION ALL
(SELECT
 -- include: runs_columns.sql
 FROM pruned.runs_done r
 WHERE scheduled_at >= coalesce(:archive_from::timestamptz, '-infinity') AND
 -- include: runs_matching.sql
 ORDER BY created_at DESC, run_id DESC LIMIT :limit::bigint)
ORDER BY created_at DESC, run_id DESC LIMIT :limit::bigint
