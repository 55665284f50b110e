-- How many messages have a letter on the dead topic, as far as it is known.
SELECT count(*) AS letters FROM pruned.dead_letters
