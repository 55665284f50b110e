"""`pruned doctor` compares the clocks of the database, of daemons and of Kafka with its own."""

import re
import time

import pytest

from support.doctors import about, findings, well  # noqa: F401


@pytest.fixture
def wrong_clock(preload):
    """The environment for a process whose clock is so many seconds ahead."""
    library = preload("shifted_clock")
    if library is None:
        pytest.skip("a sanitizer must be loaded first")
    return lambda seconds: {"LD_PRELOAD": library, "SHIFTED_CLOCK_S": seconds}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("seconds, words", [(30, r"the database's clock is (\d+)\.\d s behind"), (-30, r"the database's clock is (\d+)\.\d s ahead")])
def test_a_clock_that_is_not_the_databases(well, wrong_clock, seconds, words):  # noqa: F811
    began = time.monotonic()
    [found] = about(well, "clock", environment=wrong_clock(seconds))
    asked_s = time.monotonic() - began
    off_s = int(re.search(words, found["detail"])[1])
    assert abs(off_s - 30) <= 1 + asked_s / 2 and found["remedy"] == "timedatectl set-ntp true"


@pytest.mark.check_all
def test_the_clock_of_a_daemon_elsewhere(well, wrong_clock):  # noqa: F811
    for name, seconds in (("right", 0), ("ahead", 30), ("behind", -30)):
        well.start(name=name, environment=wrong_clock(seconds))
    well.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'pruned run, clock %%'",
                       until=3)
    found = about(well, "daemons' clocks")
    assert sorted(re.search(r"is (\d+)\.\d s (ahead of|behind)", f["detail"]).group(2) for f in found) == ["ahead of", "behind"]


@pytest.mark.check_all
def test_the_clock_of_a_daemon_is_told_again_as_soon_as_it_has_a_new_connection(well, wrong_clock):  # noqa: F811
    said = ("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'pruned run, clock %%'")
    well.start(environment=wrong_clock(30))
    before = well.database.wait(said)
    well.database.execute("SELECT pg_terminate_backend(%s)", [before])
    well.database.wait(said, until=lambda pid: pid not in (None, before))
    [found] = about(well, "daemons' clocks")
    assert "ahead of" in found["detail"]


@pytest.mark.check_all
def test_by_how_much_clocks_may_differ_is_one_setting(well, wrong_clock):  # noqa: F811
    """Also for daemons: a difference for which ticks of cron do not wait is no finding."""
    well.start(environment=wrong_clock(4))
    well.database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'pruned run, clock %%'",
                       until=1)
    clocks = {"clock", "daemons' clocks", "Kafka's clock"}

    def amiss(**options):
        return {f["check"] for f in findings(well.run("doctor", "--json", **options))} & clocks

    assert amiss(environment=wrong_clock(3)) == set()
    assert amiss(environment=wrong_clock(3), settings={"clock.max_skew_s": 1}) == clocks
