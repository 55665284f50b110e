"""Scheduled removals in random instances are compared with the model."""

import pytest

from support.judge import SEEDS, new_judge  # noqa: F401

JOB = "members.prune_deletions"


@pytest.fixture(scope="module")
def judge(new_judge):  # noqa: F811
    return new_judge("members.schedule_prune_deletions")


@pytest.mark.check_all
@pytest.mark.parametrize("seed", range(SEEDS))
def test_like_the_model(judge, seed):
    assert judge.differences(seed, size=20 + seed % 5 * 20, outcomes=["MemberRemoved"]) == []
