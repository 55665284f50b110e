#!/usr/bin/env python3
"""Checks that the name of each external function and variable of src says where it is. Prints each
that does not; exit 1 if any. Reads the objects of a build (build/release, or the given folder).

A name begins with that of

- its file; or the file of which this one is a part (`page` of page_keys.c, as there is a page.c),
- the header that declares it, or a type of that header or of the declaration (`KafkaMessage`:
  `kafka_message_`),
- its folder, or the folder's first word (`prune` of members.prune_deletions),
- the command that its file has (`resume` of pause.c).

Singular and plural are the same."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TEST_BUILD") or ROOT / "build/release").resolve()
COMMENT = re.compile(r"/\*.*?\*/", re.S)
TYPE = re.compile(r"\b[A-Z]\w*[a-z]\w*\b")
DEFINED_TYPE = re.compile(r"^(?:typedef\b[^;{]*|\} )(\w+);", re.M)
# Names that others give.
GIVEN = {"main": "C", "pruned_error_quark": "G_DEFINE_QUARK, of PRUNED_ERROR", "inflate": "zlib", "ZSTD_decompress": "zstd", "ZSTD_getFrameContentSize": "zstd",
         "LZ4F_createDecompressionContext": "lz4", "LZ4F_decompress": "lz4"}


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def singular(name):
    return "_".join(word.removesuffix("s") for word in name.lower().split("_"))


def begins_with(name, prefix):
    return (singular(name) + "_").startswith(singular(prefix) + "_")


def external():
    """source -> its external names. The objects of sources that are gone stay in a build."""
    found, objects = {}, sorted(BUILD.glob("src/**/*.o"))
    lines = subprocess.run(["nm", "-P", "-A", *objects], check=True, capture_output=True, text=True).stdout if objects else ""
    for path, name, kind in re.findall(r"^(\S+): (\S+) (\w)", lines, re.M):
        source = ROOT / pathlib.Path(path).relative_to(BUILD).with_suffix(".c")
        if kind in "TDBRC" and name not in GIVEN and "." not in name and source.exists():
            found.setdefault(source, []).append(name)
    return found


def of_headers(names):
    """name -> what the header that declares it lets it begin with."""
    prefixes = {}
    for header in [*ROOT.glob("src/**/*.h"), *ROOT.glob("include/**/*.h")]:
        text = COMMENT.sub(" ", header.read_text())
        own = {header.stem.removesuffix("_private"), *map(snake, DEFINED_TYPE.findall(text))}
        for statement in re.split(r"[;{}]", text):
            for name in names.intersection(re.findall(r"\w+", statement)):
                prefixes.setdefault(name, set()).update(own, map(snake, TYPE.findall(statement)))
    return prefixes


def beginnings(name):
    words = name.split("_")
    return ["_".join(words[:end]) for end in range(1, len(words))]


def of_source(source):
    parts = [part for part in beginnings(source.stem) if any((source.parent / f"{part}{ending}").exists() for ending in (".c", ".h"))]
    folder = source.parent.name.rpartition(".")[2]
    return {source.stem, *parts, source.parent.name.replace(".", "_"), folder, *beginnings(folder)}


def main():
    sources = external()
    if not sources:
        print(f"prefixed.py: no objects below {BUILD / 'src'}: make first")
        return 1
    of_header = of_headers({name for names in sources.values() for name in names})
    complaints = []
    for source, names in sources.items():
        commands = {name.removeprefix("command_") for name in names if name.startswith("command_")}
        for name in names:
            prefixes = of_source(source) | commands | of_header.get(name, set())
            if not any(begins_with(name, prefix) for prefix in prefixes):
                complaints.append(f"{source.relative_to(ROOT)}: {name}: its name does not say where it is: {source.stem}_...")
    print("\n".join(complaints) if complaints else "globals: each name says where it is")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
