-- Schema `pruned`, step 23: which events of applications' own topics each job reads.
-- compatible_from: 15

-- reads: {capacity, table, topics, events} of a job that reads such topics; null: it reads none, or
-- was removed. read_at: when a process that has the job last said so. A process without the job
-- that reads the topic for another one takes its events by this: the run waits.
ALTER TABLE pruned.job_states ADD COLUMN reads jsonb, ADD COLUMN read_at timestamptz;
