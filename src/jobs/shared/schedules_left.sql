-- A common table expression: schedule_left (id), the schedules that are due. One that has changed
-- since it failed does not wait; one that is held does.
schedule_left (id) AS NOT MATERIALIZED (
  SELECT t.id FROM members_deletion_schedules t
  WHERE NOT EXISTS (SELECT FROM pruned.quarantine q
                    WHERE q.job = 'members.prune_deletions' AND q.item = 'members_deletion_schedules:' || t.id::text
                      AND
                      -- include: ../../engine/step/sql/quarantine_waits.sql
                      AND
                      -- include: ../../engine/step/sql/quarantine_same.sql
                    )
    AND NOT EXISTS (SELECT FROM pruned.holds h WHERE h.tab = (SELECT pruned.held_table('members_deletion_schedules')) AND h.key = t.id::text AND
                    -- include: ../../engine/job/sql/held_now.sql
                   )
)
