"""Marked groups of random instances, restored or destroyed, are compared with the model."""

import pytest

from model.db import DIRTY, QUARANTINE
from support.judge import SEEDS, new_judge  # noqa: F401

JOB = "groups.adjourned_deletion"
# Here, rows that depend on a destroyed project's issues and merge requests go too; the model keeps
# rows without a foreign key.
WRITINGS = ("issues", "issue_assignees", "notes", "merge_requests", "approvals")


@pytest.fixture(scope="module")
def judge(new_judge):  # noqa: F811
    return new_judge(JOB, {f"jobs.{JOB}.spacing_ms": 0})


@pytest.mark.check_all
@pytest.mark.parametrize("seed", range(SEEDS))
def test_like_the_model(judge, seed):
    assert judge.differences(seed, size=20 + seed % 5 * 20, outcomes=["GroupDeleted", "ProjectDeleted", "GroupRestored"],
                             ignore=(QUARANTINE, DIRTY, *WRITINGS)) == []
