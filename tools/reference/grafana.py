"""A dashboard for Grafana: a panel for each metric of the table of metrics, and none else."""

import json

from . import metrics

# The rows and their metrics, in this order; the others stand in the last row. The first row is
# open.
ROWS = [
    ("Was last night right?", ["pruned_night_rows", "pruned_usual_rows", "pruned_overdue_rows", "pruned_held_runs", "pruned_runs", "pruned_quarantine_items",
                               "pruned_run_disagreed", "pruned_job_below_usual"]),
    ("Does it run?", ["pruned_ready", "pruned_stopped", "pruned_database_up", "pruned_oldest_due_seconds", "pruned_start_delay_seconds", "pruned_tick_late_seconds",
                      "pruned_last_success_timestamp_seconds", "pruned_job_blocked", "pruned_job_paused", "pruned_job_left_out", "pruned_notices_undelivered"]),
    ("Deadlines", ["pruned_oldest_overdue_seconds", "pruned_deadline_seconds", "pruned_due_rows", "pruned_due_inflow_rows", "pruned_due_outflow_rows", "pruned_caught_up_nights",
                   "pruned_deadline_unknown"]),
    ("Steps", ["pruned_rows_total", "pruned_steps_total", "pruned_step_seconds", "pruned_running_step_seconds", "pruned_errors_total", "pruned_failures_total",
               "pruned_throttled_seconds_total"]),
]
OTHERS = "Others"
WIDTH, HEIGHT = 8, 7
EACH_PROCESS = ("pruned_ready", "pruned_stopped", "pruned_database_up")
UNITS = (("_timestamp_seconds", "s"), ("_seconds", "s"), ("_bytes", "bytes"), ("_seconds_total", "s"))


def selector(labels):
    return '{job=~"$job"}' if "job" in labels else ""


def grouped(how, labels, inner):
    return f"{how}{' by (' + ', '.join(labels) + ')' if labels else ''} ({inner})"


def expressions(name, kind, labels):
    """[(expression, legend)]"""
    labels = list(dict.fromkeys(labels))
    legend = " ".join(f"{{{{{label}}}}}" for label in labels) or "all"
    where = selector(labels)
    if kind == "histogram":
        by = grouped("sum", ["le", *labels], f"rate({name}_bucket{where}[$__rate_interval])")
        return [(f"histogram_quantile({q}, {by})", f"{legend} {int(q * 100)} %") for q in (0.5, 0.99)]
    if kind == "counter":
        return [(grouped("sum", labels, f"rate({name}{where}[$__rate_interval])"), legend)]
    if name == "pruned_hold_ends_timestamp_seconds":  # the one that is to come
        return [(grouped("min", labels, f"{name} - time()"), legend)]
    if name == "process_start_time_seconds":
        return [("time() - " + grouped("max", ["instance"], name), "{{instance}}")]
    if name.endswith("_timestamp_seconds"):
        return [("time() - " + grouped("max", labels, f"{name}{where} > 0"), legend)]
    if not labels and (name in EACH_PROCESS or name.startswith("process_")):
        return [(grouped("max", ["instance"], name), "{{instance}}")]
    return [(grouped("max", labels, f"{name}{where}"), legend)]


def unit(name, kind):
    if kind == "counter" and not name.endswith("_seconds_total"):
        return "cps"
    return next((known for ending, known in UNITS if name.endswith(ending)), "short")


def panel(number, at, name, found):
    kind, labels, said = found
    targets = [{"datasource": {"type": "prometheus", "uid": "${source}"}, "expr": expression, "legendFormat": legend, "refId": chr(ord("A") + n)}
               for n, (expression, legend) in enumerate(expressions(name, kind, labels))]
    return {"id": number, "type": "timeseries", "title": name.removeprefix("pruned_").replace("_", " "), "description": said,
            "datasource": {"type": "prometheus", "uid": "${source}"}, "targets": targets,
            "gridPos": {"x": at % 3 * WIDTH, "y": at // 3 * HEIGHT, "w": WIDTH, "h": HEIGHT},
            "fieldConfig": {"defaults": {"unit": unit(name, kind), "min": 0, "custom": {"fillOpacity": 10, "showPoints": "never"}}, "overrides": []},
            "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi", "sort": "desc"}}}


def panels():
    found = metrics.collect()
    named = [name for _, names in ROWS for name in names]
    if set(named) - set(found):
        raise SystemExit(f"tools/reference/grafana.py: no such metric: {sorted(set(named) - set(found))}")
    number = y = 0
    for title, names in [*ROWS, (OTHERS, sorted(set(found) - set(named)))]:
        number += 1
        collapsed = number > 1
        row = {"id": number, "type": "row", "title": title, "collapsed": collapsed, "gridPos": {"x": 0, "y": y, "w": 24, "h": 1}, "panels": []}
        inside = []
        for at, name in enumerate(names):
            number += 1
            one = panel(number, at, name, found[name])
            one["gridPos"]["y"] += y + 1
            inside.append(one)
        row["panels"] = inside if collapsed else []
        yield row
        yield from [] if collapsed else inside
        y += 1 + (-(-len(names) // 3) * HEIGHT)


def dashboard(binary):
    variables = [
        {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"},
        {"name": "job", "type": "query", "datasource": {"type": "prometheus", "uid": "${source}"}, "query": "label_values(pruned_job_info, job)",
         "refresh": 2, "multi": True, "includeAll": True, "allValue": ".*", "current": {"text": "All", "value": "$__all"}},
    ]
    return json.dumps({
        "title": "pruned", "uid": "pruned", "tags": ["pruned"], "schemaVersion": 39, "editable": True, "refresh": "1m",
        "description": "Made by `make docs` from the table of metrics: do not edit. Scrape with honor_labels: true.",
        "time": {"from": "now-24h", "to": "now"}, "timezone": "utc", "templating": {"list": variables}, "panels": list(panels())}, indent=1) + "\n"
