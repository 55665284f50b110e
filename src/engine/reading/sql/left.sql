SELECT l.tab, l.key, l.wrong FROM ({left_over}) AS l
WHERE NOT EXISTS (SELECT FROM pruned.holds h WHERE h.tab = (SELECT pruned.held_table(l.tab)) AND h.key = l.key COLLATE "C") LIMIT 1000
