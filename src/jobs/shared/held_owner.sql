-- Member `m` was brought back by `pruned restore` and is held until somebody says whether he stays: no group may lose another owner
-- because of him. Fast by quarantine (item) of those that are held.
EXISTS (SELECT FROM pruned.quarantine h WHERE h.item = 'members:' || m.id AND h.parked AND h.reason = 'restored')
