"""The metrics that are served are those of the reference, alerts name metrics that are there from
the start, and promtool reads them."""

import re
import subprocess

import pytest

from stack import found
from stack.found import PROJECT
from stack.process import wait_until
from support.dashboard import NOBODY, reference
from support.instance import Instance
from support.metrics import OBJECTS, SLOT, add_object, http, start  # noqa: F401
from support.scene import now

pytestmark = pytest.mark.built_in


def alerts():
    """{name of an alert: its series}, from deploy/alerts.yml:
    `(metric, {label: value or pattern})`."""
    rules = re.split(r"- alert: (\w+)", (PROJECT / "deploy/alerts.yml").read_text())[1:]
    looks = {}
    for name, rule in zip(rules[::2], rules[1::2]):
        [expression] = re.findall(r"expr:(.*?)\n +(?:for|labels):", rule, re.S)
        looks[name] = [(metric, dict(re.findall(r'(\w+)=~?"([^"]*)"', labels)))
                       for metric, labels in re.findall(r"(pruned_\w+)(?:\{([^}]*)\})?", expression)]
    return looks


def test_the_served_metrics_are_those_of_the_reference(scene, http, tmp_path):  # noqa: F811
    (tmp_path / "a").write_text("artifact")
    add_object(scene, tmp_path, "a", "3 h")
    daemon = start(scene, http, **{"store.local.root": tmp_path, "notify.url": NOBODY})
    scene.topics.tick(OBJECTS, now(minutes=-1))
    daemon.wait_line("Finished", job=SLOT)
    metrics = wait_until(lambda: "pruned_dead_letters" in (seen := http.metrics()) and seen, 30, "the dead letters")
    told = reference()
    assert metrics.kinds.items() <= {name: kind for name, (kind, _) in told.items()}.items()
    # Metrics of accidents, of applications' own topics, and of a standby are served once there is
    # one.
    assert set(told) - set(metrics.kinds) <= {"pruned_republished_total", "pruned_stale_messages_total", "pruned_dead_messages_total",
                                              "pruned_passed_over_messages_total", "pruned_replica_pages_total"}
    for name, labels in metrics.samples:
        family = name if name in told else re.sub("_(bucket|sum|count)$", "", name)
        assert set(dict(labels)) - {"le"} <= told[family][1], name


def test_metrics_that_alerts_use_exist_and_counters_begin_at_0(scene, http, tmp_path):  # noqa: F811
    """rate() does not see a counter that starts at 1."""
    (tmp_path / "a").write_text("artifact")
    add_object(scene, tmp_path, "a", "3 h")
    scene.database.execute("INSERT INTO pruned.holds (tab, key, hold_id, kind, reason, who) VALUES ('public.scratch', '1', gen_random_uuid(), 'hold', 'x', 'x')")
    daemon = start(scene, http, **{"store.local.root": tmp_path, "notify.url": NOBODY})
    before = http.metrics()
    scene.topics.tick(OBJECTS, now(minutes=-1))
    daemon.wait_line("Finished", job=SLOT)
    rows = Instance(scene.database)
    rows.leave(rows.group(), rows.user(), by=rows.user())
    scene.topics.tick("members.schedule_prune_deletions", now(minutes=-1))
    daemon.wait_line("Finished", job="members.prune_deletions")
    after = wait_until(lambda: "pruned_oldest_overdue_seconds" in (seen := http.metrics()) and seen, 30, "a look for overdue rows")
    looks = alerts()
    assert len(looks) >= 8 and all(looks.values())
    for alert, metrics in looks.items():
        for metric, labels in metrics:
            def match(known):
                name, pairs = known[0], dict(known[1])
                return name == metric and all(re.fullmatch(wanted, pairs.get(label, "")) for label, wanted in labels.items())

            if metric != "pruned_running_step_seconds":  # while a step runs
                assert any(map(match, after.samples)), f"{alert}: no {metric} with {labels}"
            if metric.endswith(("_total", "_count", "_bucket")) or metric in ("pruned_runs", "pruned_job_blocked", "pruned_failing_runs"):
                assert {value for known, value in before.samples.items() if match(known)} == {0}, f"{alert}: {metric} with {labels}"


def test_promtool_finds_no_fault(scene, http):  # noqa: F811
    start(scene, http)
    promtool = found.promtool() or pytest.skip("no promtool here")
    text = wait_until(lambda: "pruned_dead_letters" in (text := http.ask("/metrics").text) and text, 30, "all metrics")
    done = subprocess.run([promtool, "check", "metrics"], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")
