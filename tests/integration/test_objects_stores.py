"""Two stores, one of which is down or has no settings: the other's objects go, and no attempt is
charged for the wait."""

import pytest

from support.objects import SLOT, ListedObjects, waits_for_its_store

WINDOW = 4000  # rows of a closed store that a step skips, as in the job
NOWHERE = {"store.object.endpoint": "http://127.0.0.1:9", "store.object.bucket": "artifacts"}


@pytest.fixture
def objects(pruned_with_slots, database, tmp_path):
    root = tmp_path / "store"
    root.mkdir()
    return Objects(pruned_with_slots, database, root)


class Objects(ListedObjects):
    def check_that_others_went(self, before, words):
        """Checks that no listed object of the local store is left, the other store's rows are
        unchanged, and their slots wait."""
        assert list(self.root.iterdir()) == []
        assert self.rows() == before
        assert self.database.value("SELECT count(*) FROM pruned.quarantine") == 0
        for run in self.runs():
            assert waits_for_its_store(run) and words in run["error"], run


@pytest.mark.check_first(1)
@pytest.mark.parametrize("settings, words", [
    (NOWHERE, "127.0.0.1:9"), ({}, "blocked: file_store 2 is not configured: set [store.object] endpoint")])
def test_objects_of_a_store_that_cannot_be_used_keep_no_others_waiting(objects, settings, words):
    objects.add(250, store=2, age="3 hours")
    before = objects.rows()
    objects.add(60, store=1)
    daemon = objects.delete(**settings, **{f"jobs.{SLOT}.batch": 20})
    objects.check_that_others_went(before, words)
    assert words in daemon.wait_line("The store cannot be used; the slot waits", level="warning")["error"]


@pytest.mark.check_all
@pytest.mark.parametrize("apart", ["1 ms", "0"])
def test_the_other_stores_objects_are_found_behind_more_than_one_step_passes_over(objects, apart):
    """This also holds if all rows were recorded in one transaction."""
    objects.add(2 * WINDOW + 10, store=2, age="3 hours", apart=apart)
    before = objects.rows()
    objects.add(30, store=1)
    objects.delete(**NOWHERE, **{f"jobs.{SLOT}.batch": 20})
    objects.check_that_others_went(before, "127.0.0.1:9")


@pytest.mark.check_all
def test_what_becomes_ready_before_all_others_is_found_while_a_store_is_down(objects):
    objects.add(50, store=2, age="3 hours")
    before = objects.rows()
    objects.delete(**NOWHERE, **{f"jobs.{SLOT}.batch": 20})
    objects.add(30, store=1, age="4 hours", name="older")
    objects.again(**NOWHERE, **{f"jobs.{SLOT}.batch": 20})
    objects.check_that_others_went(before, "127.0.0.1:9")


def test_once_the_store_has_its_setting_its_objects_go(objects, tmp_path):
    objects.add(30, store=1)
    objects.delete(**{"store.local.root": ""}, **NOWHERE)
    [run] = objects.runs()
    assert run["error"] == "blocked: file_store 1 is not configured: set [store.local] root" and len(objects.rows()) == 30
    objects.again()
    assert objects.rows() == [] and objects.runs()[0]["state"] == "finished"
