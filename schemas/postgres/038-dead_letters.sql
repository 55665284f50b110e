-- Schema `pruned`, step 38: which messages have a letter on the dead topic.
-- compatible_from: 15

-- A message that has a letter on the dead topic: if its topic is read again, it gets no second one.
-- sent_ms: Kafka's time of the message; -1: it has none.
CREATE TABLE pruned.dead_letters (
    topic     text NOT NULL,
    partition integer NOT NULL,
    "offset"  bigint NOT NULL,
    sent_ms   bigint NOT NULL,
    at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, partition, "offset")
);

SELECT pruned.give_daemons(ARRAY['dead_letters: SELECT, INSERT, UPDATE, DELETE']);
