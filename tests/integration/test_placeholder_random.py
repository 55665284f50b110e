"""Placeholder users of random instances are compared with the model."""

import pytest

from support.judge import SEEDS, new_judge  # noqa: F401

JOB = "imports.placeholder_cleanup"


@pytest.fixture(scope="module")
def judge(new_judge):  # noqa: F811
    return new_judge(JOB, {f"jobs.{JOB}.spacing_ms": 0})


@pytest.mark.parametrize("seed", range(SEEDS))
def test_like_the_model(judge, seed):
    assert judge.differences(seed, size=20 + seed % 5 * 20, outcomes=["PlaceholderKept", "UserDeleted"]) == []
