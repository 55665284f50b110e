-- Which of these memberships a step would skip because they are in quarantine, and have not changed
-- since, or because they are held. Fast by primary keys.
SELECT m.id, m.schedule_id,
       EXISTS (SELECT FROM pruned.quarantine q JOIN members t ON t.id = m.id
               WHERE q.job = :job::text AND q.item = 'members:' || m.id::text AND
                 -- include: ../../engine/step/sql/quarantine_waits.sql
                 AND
                 -- include: ../../engine/step/sql/quarantine_same.sql
              )
       OR
       -- include: ../shared/held_owner.sql
       AS parked
FROM unnest(:member::bigint[], :schedule::bigint[]) WITH ORDINALITY AS m (id, schedule_id, pos)
ORDER BY m.pos
