#!/usr/bin/env python3
"""Checks which folder may use which (docs/design.md), by includes, and by symbols of the objects in
BUILD (default build/release; sources that are not built are not checked). No files may use each
other in a circle, but a face and its parts. Prints each violation; exit 1 if any."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)

# A folder may use those of a lower rank, and itself. The rooms of the engine are in the order in
# which a message goes through them.
FOLDERS = [["base"], ["config", "http", "kafka", "pg"], ["avro", "store"],
           ["engine/job"], ["engine/service"], ["engine/outbox"], ["engine/ledger"], ["engine/step"], ["engine/reading"], ["engine/brakes"], ["engine/lane"],
           ["engine/work"], ["engine/clock"], ["engine"], ["engine/view"], ["engine/notices"], ["jobs", "cli", "web"]]
RANK = {folder: rank for rank, folders in enumerate(FOLDERS) for folder in folders}
# `pruned run` serves the web page.
ALSO = {("cli", "web")}
# What the author of a job sees: include/pruned, which stands alone; the jobs of the tree also use
# base.
SHOWN_TO_JOBS = {"pruned": re.compile(r"^pruned/"), "jobs": re.compile(r"^(pruned|base)/")}
# Headers that jobs share with all of src, and their folders.
SHARED = {"pruned/array.h": "pg", "pruned/error.h": "base", "pruned/json.h": "base", "pruned/log.h": "base",
          "pruned/rows.h": "pg"}

# A face and its parts: the files of one module, behind one header. Only they may use each other in
# a circle.
FACES = ["cli/bench/bench", "cli/doctor/doctor", "cli/restore/restore", "config/config"]

HOME_OF = {"jansson.h": "pruned", "sodium.h": "base", "uuid.h": "base", "uuid/uuid.h": "base",
           "librdkafka/rdkafka.h": "kafka", "librdkafka/rdkafka_mock.h": "kafka",
           "libpq-fe.h": "pg", "avro.h": "avro", "curl/curl.h": "http", "microhttpd.h": "web"}
LIBRARIES = re.compile(r"^(librdkafka|avro|curl|libpq|jansson|sodium|uuid|microhttpd|postgresql)\b")


def sources():
    for top in ("src", "include"):
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            yield path.relative_to(ROOT)


def folder(path):
    """The room: `src/engine/step/step.c` -> engine/step, `include/pruned/job.h` -> pruned,
    `src/main.c` -> ''."""
    rooms = ["/".join(path.parts[1:end]) for end in range(len(path.parts) - 1, 1, -1)]
    return next((room for room in rooms if room in RANK), path.parts[1] if len(path.parts) > 2 else "")


def includes(path):
    text = (ROOT / path).read_text()
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1] == "<", match[2]


def wrong_system(home, name):
    if name in HOME_OF and home != HOME_OF[name]:
        return f"<{name}> belongs to {HOME_OF[name]}"
    if name not in HOME_OF and LIBRARIES.match(name):
        return f"<{name}> has no folder yet: add it to HOME_OF"
    return None


def wrong_own(path, home, name):
    if "/" not in name:
        beside = (ROOT / path).parent / name
        return None if beside.exists() else f'"{name}": write the path from src/'
    used = folder(pathlib.Path("src") / name)
    if home in ("", used):
        return None
    if home in SHOWN_TO_JOBS:
        return None if SHOWN_TO_JOBS[home].search(name) else f'{home} may not see "{name}"'
    if (home, name) == ("store", "pruned/store.h"):  # these headers belong to the store
        return None
    if SHARED.get(name) == home:
        return None
    if used == "pruned":
        return None if RANK[home] >= RANK["engine/job"] else f"{home} may not use jobs' headers"
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
    """Each circle of headers, once."""
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


def symbols(build):
    """(user, definer) -> the symbols, of the objects of src. Objects of files that are gone are
    left alone."""
    defined, wanted = {}, {}
    objects = [built for path in sources() if path.suffix == ".c" and (built := build / path.with_suffix(".o")).exists()]
    listed = subprocess.run(["nm", "-P", "-A", *objects], capture_output=True, text=True, check=True).stdout if objects else ""
    for built, name, kind in re.findall(r"^(\S+): (\S+) (\w)", listed, re.M):
        path = pathlib.Path(built).relative_to(build).with_suffix(".c")
        if kind in "TDBRVC":
            defined[name] = path
        elif kind == "U":
            wanted.setdefault(path, set()).add(name)
    edges = {}
    for user, names in wanted.items():
        for name in names & defined.keys():
            edges.setdefault((user, defined[name]), set()).add(name)
    return edges


def circles(edges):
    """The groups of files in which each file uses every other one, directly or through others."""
    reached = {}

    def reach(start):
        seen, open_ends = set(), [start]
        while open_ends:
            for other in edges.get(open_ends.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    open_ends.append(other)
        return seen

    for path in edges:
        reached[path] = reach(path)
    groups = {frozenset(other for other in ends if path in reached.get(other, ())) for path, ends in reached.items() if path in ends}
    return sorted(sorted(group) for group in groups)


def wrong_circles(links):
    """Files that use each other in a circle, and are no face with its parts; with the symbols that
    tie them."""
    edges = {}
    for user, definer in links:
        edges.setdefault(user, set()).add(definer)
    for group in circles(edges):
        if any(all(str(path).startswith(f"src/{face}") for path in group) for face in FACES):
            continue
        yield f"files in a circle: {', '.join(map(str, group))}"
        for (user, definer), names in sorted(links.items()):
            if user in group and definer in group:
                yield f"  {user} uses {', '.join(sorted(names))} of {definer}"


def wrong_links(links):
    """Symbols that a folder uses of a folder that it may not use, although it includes nothing of
    it."""
    for (user, definer), names in sorted(links.items()):
        home, used = folder(user), folder(definer)
        if home in ("", used) or used not in RANK or (home, used) in ALSO:
            continue
        rank = RANK["jobs"] if home == "jobs" else RANK.get(home, 0)
        if RANK[used] >= rank:
            yield f"{user}: {home} may not use {', '.join(sorted(names))} of {definer}"


def main():
    complaints, graph = [], {}
    build = ROOT / (sys.argv[1] if len(sys.argv) > 1 else "build/release")
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
    links = symbols(build)
    complaints += [*wrong_links(links), *wrong_circles(links)]
    complaints += [f"headers in a ring: {' -> '.join(ring)}" for ring in cycles(graph)]
    print("\n".join(complaints) if complaints else "layers: as designed")
    return 1 if complaints else 0


sys.exit(main())
