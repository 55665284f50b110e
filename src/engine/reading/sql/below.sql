-- The rows of a table of which no rule says anything: each must refer to a row that the run has
-- taken, which `below` asks.
SELECT g.n, 'no row that it refers to has gone' AS wrong, true AS sure FROM pruned_gone g
