-- Which of these memberships a step would skip because they are in quarantine. Fast by primary key.
SELECT m.id, m.schedule_id,
       EXISTS (SELECT FROM pruned.quarantine q
               WHERE q.job = :job::text AND q.item = 'members:' || m.id::text AND
                 -- include: ../../engine/step/sql/quarantine_waits.sql
              ) AS parked
FROM unnest(:member::bigint[], :schedule::bigint[]) WITH ORDINALITY AS m (id, schedule_id, pos)
ORDER BY m.pos
