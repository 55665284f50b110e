-- Which of the oldest hundred ready objects other sessions hold: rows that cannot be locked now.
-- For a step that has leased nothing although some are ready. `:kept` as in lease.sql. Fast by the
-- index on pick_up_at and by primary key.
WITH ready AS MATERIALIZED (
  SELECT id FROM ci_deleted_objects WHERE pick_up_at < now() AND id <> ALL (:kept::bigint[]) ORDER BY pick_up_at LIMIT 100),
free AS MATERIALIZED (
  SELECT o.id FROM ci_deleted_objects o WHERE o.id = ANY (ARRAY(SELECT id FROM ready)) FOR UPDATE SKIP LOCKED)
SELECT id FROM ready WHERE id NOT IN (SELECT id FROM free) ORDER BY id
