"""Metrics: from the tables and calls that print HELP and TYPE."""

import re

from .text import arguments, calls, head, literal, sources, table, without_comments

# Each kind of place: how its initializer begins, and where name, kind, labels and help are in it.
COUNTED = re.compile(r"\[STATS_\w+\]\s*=\s*\{")
FIGURE = re.compile(r'\{(?=\s*"src/[^"]+\.sql",)')
GAUGE = re.compile(r'\{(?=\s*"pruned_\w+",\s*"\w+",)')
NAME = re.compile(r'"((?:pruned|process)_[a-z_]+)"')
LABEL = re.compile(r'exposition_label\s*\(\s*"(\w+)"')
PARTS = ("_bucket", "_sum", "_count")
LABELS_OF_JOBS = ("job", "worker", "feature_category", "data_consistency", "idempotent")


def counted(text):
    for match in COUNTED.finditer(text):
        name, said, *rest = arguments(text, match.end())
        labels = [literal(a) for a in rest[:2] if literal(a)]
        yield literal(name), "histogram" if len(rest) > 2 else "counter", labels, literal(said)


def figures(text):
    for match in FIGURE.finditer(text):
        _, name, kind, said, *_ = arguments(text, match.end())
        yield literal(name), literal(kind), [], literal(said)


def gauges(text):
    for match in GAUGE.finditer(text):
        given = arguments(text, match.end())
        if len(given) != 4:
            continue
        name, label, label2, said = given
        yield literal(name), "gauge", [literal(a) for a in (label, label2) if literal(a)], literal(said)


def labels_behind(text, at):
    """The labels written from AT until the function, or the text of this metric, ends."""
    end = re.search(r"^\}|exposition_head\s*\(", text[at + 1:], re.M)
    part = text[at:at + 1 + (end.start() if end else 0)]
    if "job_labels" in part:
        return list(LABELS_OF_JOBS)
    return LABEL.findall(part) + re.findall(r'"(\w+)=\\"', part)


def heads(text):
    for at, given in calls(text, "exposition_head"):
        name, kind, said = (literal(a) for a in given[1:4])
        if name:
            yield name, kind, labels_behind(text, at), said
    for _, given in calls(text, "exposition_gauge"):
        name = literal(given[1])
        if name:
            yield name, "gauge", [], literal(given[2])


def collect():
    found, named, places = {}, set(), set()
    for path, source in sources():
        text = without_comments(source)
        if COUNTED.search(text) or path.startswith("src/web/"):
            for place in (counted, figures, gauges, heads):
                here = {name: (kind, labels, said) for name, kind, labels, said in place(text) if name}
                found.update(here)
                places |= {place} if here else set()
            named |= {n for n in NAME.findall(text)}
    if places != {counted, figures, gauges, heads}:
        raise SystemExit("metrics are written down in another way: see tools/reference/metrics.py")
    for name in named - set(found):
        if not any(name.removesuffix(p) in found for p in PARTS):
            raise SystemExit(f"metric {name}: no HELP and TYPE were found")
    return found


def page(binary):
    rows = [(f"`{name}`", kind, ", ".join(f"`{label}`" for label in labels), said)
            for name, (kind, labels, said) in sorted(collect().items())]
    return head("Metrics",
                "`GET /metrics` of `[http] listen` serves these in Prometheus' text format. A histogram has `_bucket`, `_sum` and "
                "`_count`. [Operations](../operations.md#what-to-watch) says which values are bad and what to do then.",
                "Gauges that are read from the tables are the same in every process. Counters and histograms are each process's own, and "
                "begin at 0 when it starts.") \
        + table(("metric", "type", "labels", "help"), rows)
