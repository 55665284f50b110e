-- Schedules that were there before the run began, and still are at its end: it goes on as long as
-- one is left that is in no quarantine. Not while rows are held or were busy, as a membership of
-- its user can be one. What a transaction of these minutes has written (`:seen`) says nothing about
-- then.
SELECT 'members_deletion_schedules' AS tab, s.id::text AS key, 'it was not carried out' AS wrong
FROM members_deletion_schedules s
WHERE pg_catalog.age(s.xmin) > pg_catalog.age(:seen::text::xid8::xid)
  AND NOT EXISTS (SELECT FROM pruned.holds) AND NOT EXISTS (SELECT FROM pruned.quarantine q WHERE q.reason = 'busy')
  AND NOT EXISTS (SELECT FROM pruned.quarantine q JOIN members m ON q.item = pg_catalog.concat('members:', m.id) WHERE q.job = :job::text AND m.user_id = s.user_id)
