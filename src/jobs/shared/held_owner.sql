-- Member `m` is held (`pruned hold`, or after a restore): no group may lose another owner because
-- of this member.
EXISTS (SELECT FROM pruned.holds h WHERE h.tab = (SELECT pruned.held_table('members')) AND h.key = m.id::text AND
-- include: ../../engine/job/sql/held_now.sql
)
