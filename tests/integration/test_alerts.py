"""The alert rules of deploy/alerts.yml, evaluated by promtool: when each fires, and when it does
not."""

import json
import re
import subprocess

import pytest

from stack import found
from stack.found import PROJECT

RULES = PROJECT / "deploy/alerts.yml"
READY = {"pruned_ready": "1x90"}
FIRING = 'count by (alertname) (ALERTS{alertstate="firing"})'
PRUNE, EXPIRED = 'job="members.prune_deletions"', 'job="members.remove_expired"'


def dead(job, values):
    return {f'pruned_runs{{job="{job}",state="dead"}}': values}


def succeeded(when, interval_s):
    """The series of a job with that interval between its ticks; time begins at 0."""
    return {f"pruned_last_success_timestamp_seconds{{{EXPIRED}}}": when, f"pruned_job_interval_seconds{{{EXPIRED}}}": f"{interval_s}x90"}


def failed_rows(values):
    return {f'pruned_rows_total{{{PRUNE},action="failed"}}': values}


def steps(all_of_them, within_300_s):
    return {f"pruned_step_seconds_count{{{PRUNE}}}": all_of_them, f'pruned_step_seconds_bucket{{{PRUNE},le="300"}}': within_300_s}


def objects(fine, failed):
    return {'pruned_deleted_objects_total{error="false"}': fine, 'pruned_deleted_objects_total{error="true"}': failed}


def ages(all_of_them, in_time):
    return {"pruned_object_age_seconds_count": all_of_them, 'pruned_object_age_seconds_bucket{le="43200"}': in_time}


def errors(prune, schedule):
    return {f"pruned_errors_total{{{PRUNE}}}": prune, 'pruned_errors_total{job="members.schedule_prune_deletions"}': schedule}


def locks(one, other):
    return {f'pruned_failures_total{{{EXPIRED},error_class="{name}"}}': values for name, values in (("40P01", one), ("55P03", other))}


# The series, one value a minute. The alert fires in the given minutes, and in no other minute that
# is checked.
LOOKED_AT = [4, 9, 12, 20, 30, 88]
CASES = [
    ("PrunedRemoveExpiredMembersDead", dead("members.remove_expired", "0x10 1x80"), [12, 20, 30, 88]),
    # dead before the first sample
    ("PrunedRemoveExpiredMembersDead", dead("members.remove_expired", "_x9 1x80"), [9, 12, 20, 30, 88]),
    # until the run is retried
    ("PrunedRemoveExpiredMembersDead", dead("members.remove_expired", "1x10 0x80"), [4, 9]),
    ("PrunedRunDead", dead("users.destroy", "0x10 1x80"), [12, 20, 30, 88]),
    ("PrunedGroupDeletionDead", dead("groups.destroy", "0x10 1x80"), [12, 20, 30, 88]),
    ("PrunedGroupDeletionDead", dead("groups.adjourned_deletion", "0x10 1x80"), [12, 20, 30, 88]),
    # while it is blocked
    ("PrunedJobLeftOut", {f"pruned_job_left_out{{{EXPIRED}}}": "0x10 1x15 0x60"}, [20]),
    ("PrunedJobBlocked", {f"pruned_job_blocked{{{EXPIRED}}}": "0x10 1x15 0x60"}, [12, 20]),
    # in the first night
    ("PrunedJobFailing", {f"pruned_failing_runs{{{EXPIRED}}}": "0x10 1x80"}, [30, 88]),
    ("PrunedJobFailing", {f"pruned_failing_runs{{{EXPIRED}}}": "0x10 1x5 0x80"}, []),
    ("PrunedNoSuccess", succeeded("1x90", 600), [30, 88]),
    ("PrunedNoSuccess", succeeded("1x10 660x80", 600), [88]),
    ("PrunedNoSuccess", succeeded("1+60x90", 600), []),
    # no success ever
    ("PrunedNoSuccess", succeeded("0x90", 600) | {f"pruned_job_known_timestamp_seconds{{{EXPIRED}}}": "0x90"}, [30, 88]),
    # no success yet
    ("PrunedNoSuccess", succeeded("0x90", 600) | {f"pruned_job_known_timestamp_seconds{{{EXPIRED}}}": "4500x90"}, []),
    ("PrunedNoSuccess", succeeded("1x90", 600) | {f"pruned_job_paused{{{EXPIRED}}}": "1x25 0x70"}, [30, 88]),
    ("PrunedRunsOverdue", {f"pruned_oldest_due_seconds{{{EXPIRED}}}": "0x10 901x80"}, [20, 30, 88]),
    ("PrunedRunsOverdue", {f"pruned_oldest_due_seconds{{{EXPIRED}}}": "900x90"}, []),
    ("PrunedRunsOverdue", {f"pruned_oldest_due_seconds{{{EXPIRED}}}": "901x90", f"pruned_job_enabled{{{EXPIRED}}}": "1x25 0x70"}, [9, 12, 20]),
    ("PrunedTickLate", {f"pruned_tick_late_seconds{{{EXPIRED}}}": "0x10 61x15 0x60"}, [20]),
    ("PrunedTickLate", {f"pruned_tick_late_seconds{{{EXPIRED}}}": "60x90"}, []),
    ("PrunedRowsFailing", {f"pruned_oldest_failing_seconds{{{EXPIRED}}}": "0x10 86401x80"}, [12, 20, 30, 88]),
    ("PrunedRowsFailing", {f"pruned_oldest_failing_seconds{{{EXPIRED}}}": "86400x90"}, []),
    ("PrunedBelowUsual", {f"pruned_job_below_usual{{{EXPIRED}}}": "0x10 1x15 0x60"}, [12, 20]),
    ("PrunedRunDisagreed", {f"pruned_run_disagreed{{{EXPIRED}}}": "0x10 1x15 0x60"}, [12, 20]),
    ("PrunedDeadlineNear", {f"pruned_oldest_overdue_seconds{{{EXPIRED}}}": "0x10 80x80", f"pruned_deadline_seconds{{{EXPIRED}}}": "100x90"}, [20, 30, 88]),
    ("PrunedDeadlineNear", {f"pruned_oldest_overdue_seconds{{{EXPIRED}}}": "0x10 79x30 100x50", f"pruned_deadline_seconds{{{EXPIRED}}}": "100x90"}, []),
    ("PrunedRowsOverdue", {f'pruned_overdue_rows{{{EXPIRED},why="no rule"}}': "0x10 3x80"}, [20, 30, 88]),
    ("PrunedRowsOverdue", {f'pruned_overdue_rows{{{EXPIRED},why="{why}"}}': "3x90" for why in ("kept", "kept: unless", "hold", "restored", "not asked")}, []),
    ("PrunedDeadlineUnknown", {f"pruned_deadline_unknown{{{EXPIRED}}}": "0x10 1x80"}, [88]),
    # from the first minute on
    ("PrunedRunHeld", {f"pruned_held_runs{{{EXPIRED}}}": "0x10 1x15 0x60"}, [12, 20]),
    ("PrunedJobPaused", {f"pruned_job_paused{{{EXPIRED}}}": "0x10 1x80"}, [88]),
    ("PrunedItemsParked", {f'pruned_quarantine_items{{{EXPIRED},parked="true"}}': "0x10 1x80",
                           f'pruned_quarantine_items{{{EXPIRED},parked="false"}}': "7x90"}, [12, 20, 30, 88]),
    ("PrunedItemsParked", {f'pruned_quarantine_items{{{EXPIRED},parked="false"}}': "7x90"}, []),
    ("PrunedHeldTableGone", {'pruned_held_table_gone{table="public.orders"}': "0x10 1x80"}, [12, 20, 30, 88]),
    ("PrunedHeldRowsMissing", {'pruned_held_rows_missing{table="public.orders"}': "0x10 1x80"}, [12, 20, 30, 88]),
    ("PrunedDeadLetters", {"pruned_dead_letters": "0x10 1x80"}, [12, 20, 30, 88]),
    ("PrunedNoticesUndelivered", {"pruned_notices_undelivered": "0x10 1x25 0x60"}, [30]),
    ("PrunedPruneStepTooLong", steps("0x10 1x80", "0x90"), [12, 20]),  # the very first
    ("PrunedPruneStepTooLong", steps("7x10 19x80", "6x10 17x80"), [12, 20]),
    ("PrunedPruneStepTooLong", steps("7x10 19x80", "7x10 19x80"), []),
    ("PrunedPruneStepTooLong", {f"pruned_running_step_seconds{{{PRUNE}}}": "0x10 301x80"}, [12, 20, 30, 88]),
    ("PrunedPruneStepTooLong", {f"pruned_running_step_seconds{{{PRUNE}}}": "300x90"}, []),
    ("PrunedPruneErrors", errors("0x10 2x80", "0x10 1x80"), [12, 20]),
    ("PrunedPruneErrors", errors("0x10 2x80", "0x90"), []),
    ("PrunedPruneErrors", errors("0x10 2x80", "0x90") | failed_rows("0x10 1x80"), [12, 20]),
    ("PrunedPruneErrors", errors("0x90", "0x90") | failed_rows("0x10 3x80"), [12, 20]),
    ("PrunedPruneSchedulesLeft", {"pruned_member_deletion_schedules": "101x25 0x60"}, [20]),
    ("PrunedPruneSchedulesLeft", {"pruned_member_deletion_schedules": "100x90"}, []),
    ("PrunedObjectsLate", ages("0+100x12 1200x80", "0+94x12 1128x80"), [20, 30]),
    ("PrunedObjectsLate", ages("0+100x12 1200x80", "0+96x12 1152x80"), []),
    ("PrunedObjectsWaiting", {"pruned_object_oldest_ready_seconds": "0x10 43201x80"}, [30, 88]),
    ("PrunedObjectErrors", objects("0x10 94x80", "0x10 6x80"), [12, 20]),
    ("PrunedObjectErrors", objects("0x10 96x80", "0x10 4x80"), []),
    ("PrunedObjectErrors", objects("0x90", "0x10 1x80"), [12, 20]),  # the very first
    ("PrunedLocksHeldByOthers", locks("0x10 30x80", "0x10 21x80"), [12, 20]),
    ("PrunedLocksHeldByOthers", locks("0x10 20x80", "0x10 20x80"), []),
    ("PrunedDatabaseAway", {'pruned_database_up{instance="a"}': "1x90", 'pruned_database_up{instance="b"}': "1x10 0x80"}, [20, 30, 88]),
    ("PrunedStopped", {'pruned_stopped{instance="a"}': "0x10 1x15 0x60", 'pruned_stopped{instance="b"}': "0x90"}, [12, 20]),
    ("PrunedHousekeepingFailing", {'pruned_housekeeping_failures{part="the archive"}': "0x10 9x15 0x60"}, [20]),
    ("PrunedHousekeepingFailing", {'pruned_housekeeping_failures{part="the archive"}': "0x10 2x80"}, []),
    ("PrunedHousekeepingSlow", {'pruned_housekeeping_seconds{part="the archive"}': "0x10 11x30 0x60"}, [30]),
    ("PrunedHousekeepingSlow", {'pruned_housekeeping_seconds{part="the archive"}': "0x10 9x80"}, []),
    ("PrunedMessagesLost", {"pruned_lost_messages_timestamp_seconds": "0x10 600x80"}, [12, 20, 30, 88]),
    ("PrunedMessagesLost", {"pruned_lost_messages_timestamp_seconds": "0x90"}, []),
    ("PrunedMessagesLost", {"pruned_lost_messages_timestamp_seconds": "-86400x90"}, []),
    ("PrunedNotReady", {"pruned_ready": "0x90"}, [9, 12, 20, 30, 88]),
    ("PrunedNotReady", {'pruned_ready{instance="a"}': "1x90", 'pruned_ready{instance="b"}': "1x10 0x80"}, [20, 30, 88]),
    ("PrunedNotReady", {"pruned_ready": "1x3"}, [20, 30, 88]),  # the series has ended
]


STOPPED = {"pruned_stopped": "0x25 1x70", f"pruned_oldest_due_seconds{{{EXPIRED}}}": "901x90"}


@pytest.fixture(scope="module")
def promtool():
    program = found.promtool() or pytest.skip("no promtool here")

    def run(*words):
        done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=150)
        assert done.returncode == 0, done.stdout

    return run


def firing(alert):
    return [{"labels": f'{{alertname="{alert}"}}', "value": 1}]


def story(alert, series, fires):
    looks = [{"eval_time": f"{minute}m", "expr": FIRING,
              "exp_samples": firing(alert) if minute in fires else []} for minute in LOOKED_AT]
    return {"interval": "1m", "promql_expr_test": looks,
            "input_series": [{"series": name, "values": values} for name, values in (READY | series if alert != "PrunedNotReady" else series).items()]}


def test_each_rule_is_one(promtool):
    promtool("check", "rules", RULES)
    assert {alert for alert, _, fires in CASES if fires} == set(re.findall(r"- alert: (\w+)", RULES.read_text()))


def told(folder, stories):
    """A file with these stories, for promtool."""
    tests = folder / "test.yml"
    tests.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": stories}))
    return tests


# One case each of what fires, and the others.
FIRST = [case for n, case in enumerate(CASES) if case[2] and case[0] not in [alert for alert, _, fires in CASES[:n] if fires]]
REST = [case for case in CASES if case not in FIRST]


@pytest.mark.check_all
@pytest.mark.check_first(1)
@pytest.mark.parametrize("cases", [FIRST, REST], ids=["first", "rest"])
def test_each_alert_fires_when_it_should_and_no_other_does(promtool, tmp_path, cases):
    """All at once; if that fails, one by one, so that the failing one is named."""
    try:
        promtool("test", "rules", told(tmp_path, [story(*case) for case in cases]))
    except AssertionError:
        for case in cases:
            try:
                promtool("test", "rules", told(tmp_path, [story(*case)]))
            except AssertionError as error:
                raise AssertionError(case) from error
        raise


def test_while_all_is_stopped_no_run_is_overdue(promtool, tmp_path):
    looks = [{"eval_time": f"{minute}m", "expr": FIRING, "exp_samples": firing(alert)} for minute, alert in ((20, "PrunedRunsOverdue"), (30, "PrunedStopped"))]
    one = {"interval": "1m", "promql_expr_test": looks, "input_series": [{"series": name, "values": values} for name, values in (READY | STOPPED).items()]}
    promtool("test", "rules", told(tmp_path, [one]))
