#!/usr/bin/env python3
"""Checks that only src/engine/job/job_kind.c asks of what kind a job is. Elsewhere a property of
its kind is asked for what it means (`job->kind->rows`), or an array has an entry for each kind,
which must be whole. Prints each place; exit 1 if any."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "src/engine/job/job_kind.c"
KINDS = re.findall(r"^  (KIND_\w+)", TABLE.with_suffix(".h").read_text(), re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
ARRAY = re.compile(r"\[JOB_KINDS\]\s*=\s*\{(.*?)\};", re.S)
# What makes a kind, compared or tested, and a kind that is no index of an array.
ASKED = re.compile(r"[!=]= *SENTENCE_(?:OBJECTS|PARTITIONS)\b|\bSENTENCE_(?:OBJECTS|PARTITIONS) *[!=]="
                   r"|\bcode->(?:step|errand) *(?:[!=]=|\?|&&|\|\||\))|! *(?:\w+(?:->|\.))*code->(?:step|errand)\b"
                   r"|(?<!\[)\bKIND_\w+")


def findings(path):
    plain = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), path.read_text())
    for match in ASKED.finditer(plain):
        if not match[0].startswith("KIND_") or match[0] in KINDS:
            yield plain.count("\n", 0, match.start()) + 1, f"asks for the kind of a job: {match[0]}"
    for array in ARRAY.finditer(plain):
        for kind in KINDS:
            if f"[{kind}]" not in array[1]:
                yield plain.count("\n", 0, array.start()) + 1, f"has no entry for {kind}"


def main():
    found = [(path, *finding) for path in sorted((ROOT / "src").rglob("*.[ch]"))
             if path not in (TABLE, TABLE.with_suffix(".h")) for finding in findings(path)]
    for path, line, what in found:
        print(f"{path.relative_to(ROOT)}:{line}: {what} (src/engine/job/job_kind.h)")
    print(f"kinds.py: {len(found)} found")
    return 1 if found else 0


sys.exit(main())
