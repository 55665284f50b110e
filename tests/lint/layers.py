#!/usr/bin/env python3
"""Who may include whom (docs/design.md). Prints each include that goes against it; exit 1 if any."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)

# A folder may use those of a lower rank, and itself.
RANK = {"base": 0, "config": 1, "http": 1, "kafka": 1, "pg": 1, "avro": 2, "store": 2,
        "engine": 3, "jobs": 4, "cli": 4, "web": 4}
# `pruned run` serves the web page.
ALSO = {("cli", "web")}
# What the author of a job sees: include/pruned, and what its headers show.
SHOWN_TO_JOBS = re.compile(r"^(pruned|base)/|^pg/rows\.h$")

HOME_OF = {"jansson.h": "base", "uuid.h": "base", "uuid/uuid.h": "base",
           "librdkafka/rdkafka.h": "kafka", "librdkafka/rdkafka_mock.h": "kafka",
           "libpq-fe.h": "pg", "avro.h": "avro", "curl/curl.h": "http", "microhttpd.h": "web"}
LIBRARIES = re.compile(r"^(librdkafka|avro|curl|libpq|jansson|uuid|microhttpd|postgresql)\b")


def sources():
    for top in ("src", "include"):
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            yield path.relative_to(ROOT)


def folder(path):
    """`src/engine/step/step.c` -> engine, `include/pruned/job.h` -> pruned, `src/main.c` -> ''."""
    return path.parts[1] if len(path.parts) > 2 else ""


def includes(path):
    text = (ROOT / path).read_text()
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1] == "<", match[2]


def wrong_system(home, name):
    if name in HOME_OF and home != HOME_OF[name]:
        return f"<{name}> belongs to src/{HOME_OF[name]}"
    if name not in HOME_OF and LIBRARIES.match(name):
        return f"<{name}> has no folder yet: add it to HOME_OF"
    return None


def wrong_own(path, home, name):
    if "/" not in name:
        beside = (ROOT / path).parent / name
        return None if beside.exists() else f'"{name}": write the path from src/'
    used = name.split("/")[0]
    if home in ("", used):
        return None
    if home in ("jobs", "pruned"):
        return None if SHOWN_TO_JOBS.search(name) else f'a job may not see "{name}"'
    if (home, name) == ("store", "pruned/store.h"): # what the store shows to jobs is its own
        return None
    if used == "pruned":
        return None if RANK[home] >= RANK["engine"] else f"{home} may not use jobs' headers"
    if used not in RANK:
        return f'"{name}" is in no known folder'
    if RANK[used] < RANK[home] or (home, used) in ALSO:
        return None
    return f"{home} may not use {used}"


def resolve(name):
    for top in ("src", "include"):
        if (ROOT / top / name).exists():
            return f"{top}/{name}"
    return None


def cycles(graph):
    """Each ring of headers once."""
    done, path = set(), []

    def visit(node):
        if node in path:
            yield path[path.index(node):] + [node]
            return
        if node in done:
            return
        path.append(node)
        for other in graph.get(node, ()):
            yield from visit(other)
        path.pop()
        done.add(node)

    for node in sorted(graph):
        yield from visit(node)


def main():
    complaints, graph = [], {}
    for path in sources():
        home = folder(path)
        if home and home != "pruned" and home not in RANK:
            complaints.append(f"{path}: folder {home} has no rank")
            continue
        for line, system, name in includes(path):
            wrong = wrong_system(home, name) if system else wrong_own(path, home, name)
            if wrong:
                complaints.append(f"{path}:{line}: {wrong}")
            target = None if system else resolve(name)
            if target and path.suffix == ".h":
                graph.setdefault(str(path), []).append(target)
    complaints += [f"headers in a ring: {' -> '.join(ring)}" for ring in cycles(graph)]
    print("\n".join(complaints) if complaints else "layers: as designed")
    return 1 if complaints else 0


sys.exit(main())
