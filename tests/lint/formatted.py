#!/usr/bin/env python3
"""Checks that all C is in the style of .clang-format. Names each file that is not; --fix formats
them. Needs the clang-format of tests/stack/requirements.txt: other versions format differently."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("include", "src", "tests")


def sources():
    return sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*.[ch]"))


def clang_format():
    """It lies beside the Python that runs this: both belong to the tests' virtual environment."""
    beside = pathlib.Path(sys.executable).parent / "clang-format"
    if not beside.exists():
        raise SystemExit(f"style: no {beside}: run me with the tests' Python, .deps/venv/bin/python (`make lint` does)")
    return beside


def main():
    fix = "--fix" in sys.argv[1:]
    done = subprocess.run([clang_format(), "--style=file", *(["-i"] if fix else ["--dry-run", "-Werror"]), *sources()],
                          cwd=ROOT, capture_output=True, text=True)
    wrong = sorted({line.split(":")[0] for line in done.stderr.splitlines() if ": error: code should be clang-formatted" in line})
    for name in wrong:
        print(f"{pathlib.Path(name).relative_to(ROOT)}: not in the style of .clang-format; tests/lint/formatted.py --fix mends it")
    if done.returncode != 0 and not wrong:
        print(done.stderr)
    if done.returncode == 0:
        print("style: one")
    return 1 if done.returncode != 0 else 0


sys.exit(main())
