#!/usr/bin/env python3
"""Checks that the C units mirror src: the unit test_X in a folder is about the source X of
the same folder of src. Prints each that is not; exit 1 if any.

A second unit of one source is test_X_ASPECT.c. Where the aspect is itself a source of the folder,
the unit is named after that one."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = ROOT / "tests/unit"


def is_source(folder, name):
    return any((folder / f"{name}{ending}").exists() for ending in (".c", ".h"))


def wrong(unit):
    """Why the unit's name is not right, or None."""
    folder, name = ROOT / "src" / unit.parent.relative_to(UNITS), unit.stem.removeprefix("test_")
    if is_source(folder, name):
        return None
    words = name.split("_")
    cuts = [("_".join(words[:at]), "_".join(words[at:])) for at in range(len(words) - 1, 0, -1)]
    aspects = [aspect for source, aspect in cuts if is_source(folder, source)]
    here = folder.relative_to(ROOT)
    if not aspects:
        return f"{here} has no {name}.c, nor a source with a first part of this name"
    better = next((aspect for aspect in aspects if is_source(folder, aspect)), None)
    return better and f"{here} has {better}.c: call it test_{better}.c"


def main():
    complaints = [f"{unit.relative_to(ROOT)}: {why}" for unit in sorted(UNITS.rglob("test_*.c")) if (why := wrong(unit))]
    print("\n".join(complaints) if complaints else "units: each lies beside its source")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
