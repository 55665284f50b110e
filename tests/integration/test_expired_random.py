"""Expired members of random instances are compared with the model: in one page and in many. A
trigger refuses some."""

import pytest

from support.judge import SEEDS, new_judge  # noqa: F401

JOB = "members.remove_expired"
OUTCOMES = ["MemberRemoved", "MemberKept", "UserDeleted"]


@pytest.fixture(scope="module")
def judge(new_judge):  # noqa: F811
    return new_judge(JOB, refusals=True)


@pytest.fixture(scope="module")
def judge_of_pages(new_judge):  # noqa: F811
    return new_judge(JOB, {f"jobs.{JOB}.batch": 3, f"jobs.{JOB}.delay_ms": 0}, refusals=True, many_pages=True)


@pytest.fixture(scope="module")
def judge_of_ranges(new_judge):  # noqa: F811
    return new_judge(JOB, {f"jobs.{JOB}.batch": 2, f"jobs.{JOB}.delay_ms": 0, f"jobs.{JOB}.ranges": 4}, refusals=True, many_pages=True)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_like_the_model(judge, seed):
    assert judge.differences(seed, size=20 + seed % 5 * 20, outcomes=OUTCOMES) == []


@pytest.mark.check_all
@pytest.mark.parametrize("seed", range(100, 100 + SEEDS // 3))
def test_in_many_pages_like_the_model(judge_of_pages, seed):
    assert judge_of_pages.differences(seed, size=20 + seed % 5 * 20, outcomes=OUTCOMES) == []


def without_expired_owners(database):
    """Which of several owners stays depends on the order in which they go
    (test_ranges_of_members.py)."""
    database.execute("UPDATE members SET expires_at = NULL WHERE access_level = 50")


@pytest.mark.parametrize("seed", range(100, 100 + SEEDS // 3))
def test_in_ranges_like_the_model(judge_of_ranges, seed):
    assert judge_of_ranges.differences(seed, size=60 + seed % 5 * 20, outcomes=OUTCOMES, prepare=without_expired_owners) == []
