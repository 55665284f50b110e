-- Which of these memberships a step would skip because they are in quarantine, and have not changed
-- since, or because they are held (`held`: the kind of the hold). Fast by primary keys.
SELECT m.id, m.schedule_id,
       EXISTS (SELECT FROM pruned.quarantine q JOIN members t ON t.id = m.id
               WHERE q.job = :job::text AND q.item = 'members:' || m.id::text AND
                 -- include: ../../engine/step/sql/quarantine_waits.sql
                 AND
                 -- include: ../../engine/step/sql/quarantine_same.sql
              ) AS parked,
       (SELECT pg_catalog.min(h.kind) FROM pruned.holds h WHERE h.tab = (SELECT pruned.held_table('members')) AND h.key = m.id::text AND
        -- include: ../../engine/job/sql/held_now.sql
       ) AS held
FROM unnest(:member::bigint[], :schedule::bigint[]) WITH ORDINALITY AS m (id, schedule_id, pos)
ORDER BY m.pos
