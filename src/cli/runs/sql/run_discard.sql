-- Ends a run as skipped and releases its unique key. Its ranges end with it; a step of theirs is
-- waited for. Without a row that it has changed, its approval was none of its job's version either.
WITH unapproved AS (
  DELETE FROM pruned.approved_versions v USING pruned.runs r
  WHERE r.run_id = :run_id::uuid AND v.run_id = r.run_id AND v.job = r.job AND coalesce(r.rows_done, 0) = 0),
ranges AS (
  UPDATE pruned.runs SET state = 'skipped', error = 'discarded', unique_key = NULL, finished_at = now(), changed_at = now()
  WHERE range_of = :run_id::uuid AND state IN ('waiting', 'ready') RETURNING 1)
UPDATE pruned.runs r
SET result =
    -- include: ../../../engine/ledger/sql/unblocked.sql
    , state = 'skipped', error = 'discarded', unique_key = NULL, held = NULL, finished_at = coalesce(finished_at, now()), changed_at = now()
WHERE run_id = :run_id::uuid
