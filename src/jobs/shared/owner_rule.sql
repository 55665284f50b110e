-- Member `m` of user `u` is an owner of a group and an active human.
-- include: owner_membership.sql
AND u.state::text = 'active' AND u.user_type = 0
