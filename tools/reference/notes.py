"""What the columns of the tables mean that others read. A test fails if one of them is not
there."""

RUNS = {
    "run_id": "made from what asked for the run ([messages](../messages.md#identity)): the same request is the same row",
    "parent_id": "the run that started this one",
    "scheduled_at": "T, the time that cut-offs are computed from",
    "due_at": "not before this time; a delay, a retry or a timer",
    "changed_at": "the last change of state or step",
    "started_at": "when its first step began",
    "published_at": "when its work message was last sent",
    "finished_at": "when it ended",
    "step": "steps committed so far",
    "attempts": "charged failures so far; 0 for a run that never failed",
    "slot": "which partition of the job's topic its messages go to",
    "state": "`waiting` (due later), `ready` (its message is out), `held`; ended: `finished`, `dead`, `skipped`",
    "unique_key": "one unfinished run for each key; null once it has ended",
    "args": "arguments",
    "cursor": "where the next page begins; the last one stays. Also the keys of `progress` that are no columns of it, for processes of the version before",
    "progress": "what the engine keeps between two steps, such as `limit` and `ranges`; null: no step has ended, or a process of the version before has done them all",
    "result": "status and counters, summed over all steps",
    "error": "the last error, or why it was skipped",
    "context": "what its log lines say of user, project or namespace",
}

COLUMNS = {
    "runs": RUNS,
    "runs_done": RUNS,
    "unpublished": {
        "run_id": "the transaction's first run",
        "messages": "the messages as they will be sent",
    },
    "intake": {
        "cluster_id": "Kafka's cluster",
        "next_offset": "the first offset that is not in the tables yet",
        "last_timestamp": "Kafka's time of the last message taken",
        "read_to": "up to this offset there is no further message, only what transactions left",
    },
    "suspects": {
        "deaths": "processes that died while they handled this message",
    },
    "deletions": {
        "table_name": "the application's table",
        "action": "`deleted`, `updated`, or `forgotten` (`pruned forget`)",
        "keys": "array of primary keys: a number each, or an object",
        "rows": "array of the rows as they were, in the order of the keys",
    },
    "quarantine": {
        "item": "`<table>:<primary key>`",
        "reason": "the last error; `restored`: an entry beside the hold of a restored row, for processes of the version before",
        "attempts": "how often it failed",
        "parked": "its tries are used up, or its reason is final",
        "next_try_at": "when it is tried again",
        "state": "a sum of the row as it was; a row that has changed starts afresh",
    },
    "holds": {
        "tab": "the table with its schema; of a partition the partitioned table",
        "key": "the primary key as text; of several columns a JSON object",
        "hold_id": "all rows of one `pruned hold`; of a restore, the run whose rows came back",
        "kind": "`hold` or `restored`",
        "job": "of the restored run",
        "until": "when the hold ends; null: when it is released",
    },
    "dirty_users": {
        "kind": "`authorizations` or `todos`",
        "seq": "rises with each request, so that one that comes meanwhile is not lost",
    },
    "controls": {
        "paused": "`pruned pause`",
        "cap": "not used",
    },
    "timers": {
        "unique_key": "of the timer's run",
        "scheduled_at": "`ce_time` of the latest event",
    },
    "job_states": {
        "last_success_at": "when a run last ended well",
        "reads": "the events that it reads, of ours and of applications' own topics; null: none",
    },
    "lost_messages": {
        "lost": "how many offsets in all",
        "first_offset": "of the last loss",
        "next_offset": "behind the last loss",
    },
    "blocked": {
        "tries": "how often it was asked again",
    },
    "schema_version": {
        "compatible_from": "the oldest step whose programs may still work with this one",
    },
}

TABLES = {
    "runs": "One row for each unit of work: ledger, fence, timer, lock and window at once ([design](../design.md)).",
    "schedules": "When cron fires next, for each job with a schedule.",
    "suspects": "Messages that were under way when a process died (poison).",
    "quarantine": "Rows that failed.",
    "holds": "Rows that stay whatever a job says ([holds](../operations.md#rows-that-are-held)).",
    "dirty_users": "Users whose authorizations or todos are to be refreshed.",
    "controls": "What `pruned pause` and `pruned resume` have said.",
    "job_states": "Since when each job is known, and when it last succeeded.",
    "schema_version": "The steps of this schema that have been applied.",
}
