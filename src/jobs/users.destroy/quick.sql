-- A condition: column `a` of table `c` can be asked for one user at any time: it has an index of
-- its own, or its table is small.
(c.relpages <= 1000 AND c.relkind = 'r' OR EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indkey[0] = a.attnum AND i.indpred IS NULL))
