-- A common table expression: schedule_left (id), the schedules that are due.
schedule_left (id) AS NOT MATERIALIZED (
  SELECT s.id FROM members_deletion_schedules s
  WHERE NOT EXISTS (SELECT FROM pruned.quarantine q
                    WHERE q.job = 'members.prune_deletions' AND q.item = 'members_deletion_schedules:' || s.id::text
                      AND
                      -- include: ../../engine/step/sql/quarantine_waits.sql
                    )
)
