"""`pruned jobs show` of a job that is refused when it is loaded."""

import pytest

from support.sentences import house  # noqa: F401


@pytest.mark.parametrize("more", [(), ("--to",), ("--json",)])
def test_a_refused_job_is_not_shown(house, more, tmp_path):  # noqa: F811
    house.say("wrong", "table = t\nwhere = dead\nlimit = 5")
    (house.folder / "folder").mkdir()
    (house.folder / "folder" / "job.conf").write_text("[job]\nstarts = never\n")
    for job, words in (("wrong", "wrong.conf:"), ("folder", str(house.folder / "folder"))):
        done = house.pruned.run("jobs", "show", job, *more, *([tmp_path / "to"] if more == ("--to",) else []))
        assert done.code == 2 and f"job {job} is refused: " in done.stderr and words in done.stderr and done.stdout == "", done
    assert not (tmp_path / "to").exists()
