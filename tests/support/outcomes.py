"""What is told of single rows: `RowProcessed`."""

ALL = {"outcomes.rows": "all"}


def told(pruned, fields=("table", "key", "what", "reason")):
    return [tuple(m.value[field] for field in fields) for m in pruned.topics.outcomes("RowProcessed")]


def wait_told(pruned, what, count):
    return pruned.topics.wait("outcomes", lambda m: m.schema == "pruned.outcomes.RowProcessed" and m.value["what"] == what,
                              count=count, deadline_s=60)
