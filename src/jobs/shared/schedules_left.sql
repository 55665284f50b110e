-- A common table expression: schedule_left (id), the schedules that are due. One that has changed
-- since it failed does not wait.
schedule_left (id) AS NOT MATERIALIZED (
  SELECT t.id FROM members_deletion_schedules t
  WHERE NOT EXISTS (SELECT FROM pruned.quarantine q
                    WHERE q.job = 'members.prune_deletions' AND q.item = 'members_deletion_schedules:' || t.id::text
                      AND
                      -- include: ../../engine/step/sql/quarantine_waits.sql
                      AND
                      -- include: ../../engine/step/sql/quarantine_same.sql
                    )
)
