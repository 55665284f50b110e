-- Deletes rows of the journal that are past their keeping time. `more`: the page was full.
SELECT pruned.forget_journal() AS more
