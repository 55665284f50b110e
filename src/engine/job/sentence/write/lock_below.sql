-- Locks the rows of {child} below the keys, so that nothing new can refer to them.
SELECT count(*) AS locked FROM (SELECT FROM {child} JOIN ({rows}) AS pruned_p ON {on} FOR UPDATE OF {child_own}) AS pruned_l
