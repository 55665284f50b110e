"""`pruned jobs show`: the SQL of a sentence, and the folder of files that takes its place."""

import pytest

from support.sentences import house  # noqa: F401
from support.shop import OLD, SHOP, check_shop, shop


@pytest.mark.check_all
def test_a_sentence_is_shown_and_taken_over_as_files(house, tmp_path):  # noqa: F811
    house.sql(SHOP)
    before = shop(house)
    house.say("orders.purge", f"table = orders\n{OLD}\nchildren = auto\nbatch = 1\ndelay_ms = 0\ndata_consistency = sticky")
    shown = house.pruned.run("jobs", "show", "orders.purge", "--json").ok().json()
    files = {one["file"]: one["text"] for one in shown}
    assert {"job.conf", "page.sql", "decide.sql"} <= set(files) and "\ndata_consistency = sticky\n" in files["job.conf"]
    assert [name for name in files if name.startswith("apply/removed/")][-1].endswith("-orders.sql")
    for name, text in files.items():
        assert f"-- file: {name}\n" in house.pruned.run("jobs", "show", "orders.purge").ok().stdout and text
    house.pruned.run("jobs", "show", "orders.purge", "--to", house.folder).ok()
    (house.folder / "orders.purge.conf").unlink()
    assert (house.folder / "orders.purge/page.sql").read_text() == files["page.sql"]
    counters, run = house.done("orders.purge")
    assert counters == {"removed": 2, "updated_rows": 2}
    check_shop(house, [(10, 1), (20, 2), (30, None)])
    house.restore(run)
    assert shop(house) == before


def test_built_in_jobs_are_shown_and_unknown_ones_are_not(stored, tmp_path):
    shown = {one["file"] for one in stored.run("jobs", "show", "members.remove_expired", "--json").ok().json()}
    assert {"job.conf", "page.sql", "decide.sql", "apply/removed/10-members.sql"} <= shown
    done = stored.run("jobs", "show", "members.remove_expird")
    assert done.code == 6 and "members.remove_expired" in done.stderr
    stored.run("jobs", "show", "members.remove_expired", "--to", tmp_path / "out").ok()
    assert (tmp_path / "out/members.remove_expired/page.sql").exists()
    assert stored.run("jobs", "show", "members.remove_expired", "--to", tmp_path / "out").code == 2
