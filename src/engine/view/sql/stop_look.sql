-- The stop in force; no row: nothing is stopped.
SELECT since, by, reason FROM pruned.stop WHERE stopped
