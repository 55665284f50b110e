-- Schema `pruned`, step 26: which partitions the daemons themselves have begun to detach.
-- compatible_from: 15

-- True before the daemon's own detach begins, and as long as it is not known to have failed. Only
-- such a partition is dropped once it is found detached: another one was detached by somebody else.
-- The default is for programs that do not know the column.
ALTER TABLE pruned.partitions ADD COLUMN detaching boolean NOT NULL DEFAULT true;
