"""A daemon's HTTP endpoint, and a strict parser of Prometheus' text format 0.0.4: a malformed line
is an error."""

import re

import requests

from stack.ports import HeldPort

HELP = re.compile(r"# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*)")
TYPE = re.compile(r"# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)")
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")
OF_HISTOGRAM = re.compile("_(bucket|sum|count)$")


class Exposition:
    """`metrics[name]` is the value of a metric without labels, `metrics.of(name, job="...")` that
    of one with these labels."""

    def __init__(self, text):
        self.kinds, self.samples = {}, {}
        assert text.endswith("\n")
        family = helped = None
        for line in text.splitlines():
            if line.startswith("# HELP"):
                helped = HELP.fullmatch(line)[1]
            elif line.startswith("#"):
                family, kind = TYPE.fullmatch(line).groups()
                assert family not in self.kinds, f"{family} is there twice"
                assert helped == family, f"{family} has no HELP"
                assert family.endswith("_total") == (kind == "counter"), f"{family} is a {kind}"
                self.kinds[family] = kind
            else:
                self._take(line, family)
        for family, kind in self.kinds.items():
            if kind == "histogram":
                self._check_histogram(family)

    def _take(self, line, family):
        matched = SAMPLE.fullmatch(line)
        assert matched, f"no sample: {line!r}"
        name, labels, value = matched.groups()
        assert family == (OF_HISTOGRAM.sub("", name) if self.kinds[family] == "histogram" else name), f"{line} below {family}"
        pairs = [pair.split("=", 1) for pair in re.findall(LABEL, labels or "")]
        key = name, frozenset((label, text[1:-1]) for label, text in pairs)
        assert len(key[1]) == len(pairs) and key not in self.samples, f"twice: {line}"
        self.samples[key] = float(value)

    def _check_histogram(self, family):
        series = {}
        for (name, labels), value in self.samples.items():
            if name == f"{family}_bucket":
                edge = float(dict(labels)["le"])
                series.setdefault(frozenset(l for l in labels if l[0] != "le"), []).append((edge, value))
        assert series, f"{family} has no buckets"
        for labels, buckets in series.items():
            counts = [count for _, count in sorted(buckets)]
            assert counts == sorted(counts), f"{family} does not grow"
            assert max(buckets)[0] == float("inf") and counts[-1] == self.samples[f"{family}_count", labels]
            assert self.samples[f"{family}_sum", labels] >= 0

    def __contains__(self, name):
        return any(known == name for known, _ in self.samples)

    def __getitem__(self, name):
        return self.samples[name, frozenset()]

    def of(self, name, **labels):
        return self.samples[name, frozenset(labels.items())]

    def buckets(self, family):
        """{upper bound: cumulative count} of a histogram without labels."""
        return {float(dict(labels)["le"]): value for (name, labels), value in self.samples.items() if name == f"{family}_bucket"}


class Listening:
    """A port for `[http] listen`, and requests to it."""

    def __init__(self):
        self.held = HeldPort()
        self.listen = f"127.0.0.1:{self.held.number}"

    def ask(self, path, method="GET", within_s=20):
        return requests.request(method, f"http://{self.listen}{path}", timeout=within_s)

    def metrics(self):
        answer = self.ask("/metrics")
        assert answer.status_code == 200 and answer.headers["Content-Type"] == "text/plain; version=0.0.4"
        return Exposition(answer.text)

    def close(self):
        self.held.release()
