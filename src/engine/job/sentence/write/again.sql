-- Which of the rows of {table} that the ledger of erasures names are there: `key` as the row has
-- it, `older`: it was made before it went. NULL: nothing says when. By primary key.
SELECT pruned_k.pruned_pos AS pos, pg_catalog.format('%s', {key}) AS key, {older} AS older
FROM {table} JOIN {keys} ON {match}
ORDER BY pruned_k.pruned_pos
