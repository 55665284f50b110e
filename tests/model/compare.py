"""Says in words where a database is not what the model expects.

Columns are compared if a rule determines them: every column of a row that was there before, the
columns that the model gave to a row that it inserted. `updated_at` of a row that the job changes
may move or not, unless a rule says that it must (then the model has NOW there).
"""

import re
from collections import Counter

from .db import DIRTY, NOW, QUARANTINE

FREE_COLUMNS = {"updated_at"}


def compare(before, real, expected, ignore_tables=(QUARANTINE,)):
    """A list of differences, readable; empty if all is as it should be."""
    differences = []
    for table in sorted(set(before.tables) | set(expected.tables)):
        if table not in ignore_tables:
            differences += _compare_table(table, before, real, expected)
    return differences


def _compare_table(table, before, real, expected):
    old, now, wanted = (db.tables.get(table, {}) for db in (before, real, expected))
    lines = []
    for key in sorted(old, key=str):
        lines += _compare_row(f"{table}[{key}]", old[key], now.get(key), wanted.get(key))
    return lines + _compare_new_rows(table, before, real, expected)


def _compare_row(name, old, now, wanted):
    if wanted is None:
        return [] if now is None else [f"{name}: should be gone, is still there: {_short(now)}"]
    if now is None:
        return [f"{name}: should have stayed, is gone: {_short(old)}"]
    touched = wanted != old
    lines = []
    for column, value in wanted.items():
        if column in FREE_COLUMNS and touched and value is not NOW:
            continue
        if not _matches(value, now[column], old[column]):
            lines.append(f"{name}.{column}: should be {value!r}, is {now[column]!r}, was {old[column]!r}")
    return lines


def _matches(wanted, now, old):
    if wanted is NOW:
        return now is not None and now != old
    if isinstance(wanted, re.Pattern):
        return wanted.fullmatch(now or "") is not None
    return wanted == now


def _compare_new_rows(table, before, real, expected):
    """Each row that the model inserted is looked for among the new ones by the columns that the
    model knows."""
    old = before.tables.get(table, {})
    unexplained = {k: r for k, r in real.tables.get(table, {}).items() if k not in old}
    lines = []
    for key in [k for t, k in sorted(expected.inserted, key=str) if t == table]:
        wanted = expected.get(table, key)
        if wanted is None or key in old or _is_leftover(table, wanted, expected):
            continue
        known = {c: v for c, v in wanted.items() if not (isinstance(v, str) and v.startswith("new ")) and v is not NOW}
        match = next((k for k, r in unexplained.items() if all(r[c] == v for c, v in known.items())), None)
        if match is None:
            lines.append(f"{table}: missing a new row {_short(known)}")
        else:
            del unexplained[match]
    for key, row in unexplained.items():
        if not _is_leftover(table, row, expected):
            lines.append(f"{table}[{key}]: a row that nobody asked for: {_short(row)}")
    return lines


def _is_leftover(table, row, expected):
    """Whether it is a request for a user who is gone: the job drops it when it reads it."""
    return table == DIRTY and expected.get("users", row["user_id"]) is None


def _short(row):
    return ", ".join(f"{c}={v!r}" for c, v in row.items() if v is not None and not c.endswith("ated_at"))


def compare_outcomes(expected, actual, types=None):
    """Both: dicts with `type` and fields; of an expected one all fields count. Order does not;
    `actual` may hold a repetition only if its `ce_id` is the same."""
    once = {o.get("ce_id", i): o for i, o in enumerate(actual)}.values()
    wanted = [o for o in expected if types is None or o["type"] in types]
    kinds = {o["type"] for o in wanted} if types is None else set(types)
    left = [o for o in once if o["type"] in kinds]
    lines = []
    for outcome in wanted:
        match = next((o for o in left if all(_same(o.get(f), v) for f, v in outcome.items())), None)
        if match is None:
            lines.append(f"outcome missing: {outcome}")
        else:
            left.remove(match)
    return lines + [f"outcome nobody asked for: {o}" for o in left]


def _same(actual, wanted):
    if isinstance(wanted, re.Pattern):
        return wanted.fullmatch(actual or "") is not None
    return actual == wanted or str(actual) == str(wanted)


# What is done with rows that were due. Rows that failed, and none of these: the run has failed.
DONE = ["updated_rows", "removed", "scheduled", "already_running", "restored"]


def compare_result(expected, actual):
    """The counters that the rules of the job determine; one that is 0 may be missing."""
    if expected.get("status") == "completed" and expected.get("failed") and not any(expected.get(word) for word in DONE):
        expected = expected | {"status": "failed"}
    return [f"result.{name}: should be {value!r}, is {actual.get(name)!r}" for name, value in expected.items()
            if actual.get(name, 0 if value == 0 else None) != value]


def compare_children(expected, actual):
    """`actual`: dicts with `job` and `args`. A child's reason and delay are compared by tests of
    their own."""
    def name(job, args, keys):
        return job, tuple(sorted((k, str(args.get(k))) for k in keys))
    wanted = Counter(name(c.job, c.args, c.args) for c in expected)
    keys = {c.job: c.args for c in expected}
    there = Counter(name(c["job"], c["args"], keys.get(c["job"], c["args"])) for c in actual)
    return [f"child run missing: {c}" for c in wanted - there] + [f"child run nobody asked for: {c}" for c in there - wanted]
