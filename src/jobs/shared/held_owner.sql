-- Member `m` was restored by `pruned restore` and is held until an operator releases it: no group
-- may lose another owner because of this member.
EXISTS (SELECT FROM pruned.quarantine h WHERE h.item = 'members:' || m.id::text AND h.parked AND h.reason = 'restored')
