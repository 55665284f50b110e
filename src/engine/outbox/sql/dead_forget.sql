-- Forgets which messages have a letter: the dead topic that had them is gone.
DELETE FROM pruned.dead_letters
