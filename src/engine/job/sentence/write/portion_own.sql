-- The row itself stays: only rows below it go in this step.
SELECT pruned_k.pruned_key AS key FROM {keys}
