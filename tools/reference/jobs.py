"""Blocks of the jobs' pages: their SQL, and what job.conf declares."""

import re

from .text import ROOT, code, table

SHOWN = ("worker", "starts", "schedule", "unique_key", "arguments", "cursor", "table", "feature_category", "data_consistency",
         "idempotent")
NAMES = {"worker": "worker class of the original", "starts": "started by", "schedule": "schedule (UTC)", "unique_key": "unique key",
         "arguments": "arguments", "cursor": "cursor", "table": "own table"}


def sql(binary, *files):
    return "".join(f"`{f.removeprefix('src/jobs/')}`:\n\n{code((ROOT / f).read_text(), 'sql')}\n" for f in files).rstrip("\n") + "\n"


def groups(text):
    """{group: {key: value}}, in the file's order."""
    found, group = {}, None
    for line in text.splitlines():
        if match := re.fullmatch(r"\[(.*)\]", line):
            group = found.setdefault(match[1], {})
        elif group is not None and (match := re.match(r"(\S+) = (.*)", line)):
            group[match[1]] = match[2]
    return found


def verdicts(found):
    """A row for each word that decide may say of a key."""
    for name, group in found.items():
        if not name.startswith("what ") and name != "failed":
            continue
        what = name.removeprefix("what ")
        outcome = group.get("outcome", "")
        yield (f"`{what}`", f"`{group.get('counter', what)}`", "yes" if group.get("counts_as_updated") == "true" else "",
               f"`{outcome}`" if outcome else "")


def declaration(binary, job):
    found = groups((ROOT / "src/jobs" / job / "job.conf").read_text())
    own = found["job"]
    rows = [(NAMES.get(k, k), f"`{own[k]}`") for k in SHOWN if k in own]
    rows += [("event", f"`{name.removeprefix('event ')}`" + (f", unique key `{group['unique_key']}`" if "unique_key" in group else ""))
             for name, group in found.items() if name.startswith("event ")]
    text = table(("", ""), rows)
    words = list(verdicts(found))
    if words:
        text += "\n" + table(("decision about a row", "counter", "in `updated_rows`", "outcome"), words)
    return text
