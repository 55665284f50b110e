-- Schema `pruned`, step 7: ticks and events that Kafka expired before intake read them. One row a
-- partition: how many offsets in all, and the last range of them, which `pruned doctor` names for a
-- day.
CREATE TABLE pruned.lost_messages (
    cluster_id   text NOT NULL,
    topic        text NOT NULL,
    partition    integer NOT NULL,
    lost         bigint NOT NULL,
    first_offset bigint NOT NULL,
    next_offset  bigint NOT NULL,
    lost_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (cluster_id, topic, partition)
);
