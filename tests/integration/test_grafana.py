"""The dashboard: each of its expressions is one, names metrics that there are, and shows data."""

import json
import subprocess

import pytest

from stack import found
from stack.process import wait_until
from support.dashboard import NOBODY, expressions, names, reference, without_data
from support.metrics import OBJECTS, SLOT, add_object, http, start  # noqa: F401
from support.scene import now

pytestmark = pytest.mark.built_in
# Of accidents, of applications' own topics, of a standby, of a step while it runs, of holds and
# deadlines that nobody has given.
NO_DATA = {"republished total", "stale messages total", "dead messages total", "passed over messages total", "replica pages total", "running step seconds",
           "held rows", "held rows missing", "held table gone", "hold ends timestamp seconds", "caught up nights", "lost messages timestamp seconds", "usual rows"}


def test_each_expression_is_one_and_names_metrics_that_exist(tmp_path):
    promtool = found.promtool() or pytest.skip("no promtool here")
    rules = tmp_path / "rules.yml"
    rules.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": [{"record": f"panel_{n}", "expr": expression}
                                                                            for n, (_, expression) in enumerate(expressions())]}]}))
    done = subprocess.run([promtool, "check", "rules", rules], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    assert done.returncode == 0, done.stdout
    named = {name.removesuffix("_bucket") for _, expression in expressions() for name in names(expression)}
    assert named == set(reference()), "each metric has its panel"


def test_it_shows_data_after_a_run(scene, http, tmp_path):  # noqa: F811
    promtool = found.promtool() or pytest.skip("no promtool here")
    (tmp_path / "a").write_text("artifact")
    add_object(scene, tmp_path, "a", "3 h")
    daemon = start(scene, http, **{"store.local.root": tmp_path, "notify.url": NOBODY})
    scene.topics.tick(OBJECTS, now(minutes=-1))
    daemon.wait_line("Finished", job=SLOT)
    metrics = wait_until(lambda: {"pruned_dead_letters", "pruned_oldest_overdue_seconds"} <= set((seen := http.metrics()).kinds) and seen, 30, "the last metrics")
    silent, done = without_data(promtool, tmp_path, metrics)
    assert silent <= NO_DATA, done.stdout[-3000:]
