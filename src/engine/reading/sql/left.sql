SELECT l.tab, l.key, l.wrong FROM ({left_over}) AS l LIMIT 1000
