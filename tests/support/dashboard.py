"""The expressions of deploy/grafana/pruned.json, and what promtool says of them."""

import json
import re
import subprocess

from stack.found import PROJECT

VARIABLES = {"$__rate_interval": "5m", "$job": ".*"}
NOBODY = "http://127.0.0.1:9/"  # for [notify] url, so that there are metrics of notices


def reference():
    """{metric: (kind, labels)} of docs/reference/metrics.md."""
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*) \|", (PROJECT / "docs/reference/metrics.md").read_text(), re.M)
    return {name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}


def expressions():
    """[(title of the panel, expression)], with the variables filled in."""
    told = json.loads((PROJECT / "deploy/grafana/pruned.json").read_text())
    panels = [p for row in told["panels"] for p in (row, *row.get("panels", []))]
    found = [(p["title"], target["expr"]) for p in panels for target in p.get("targets", [])]
    for variable, value in VARIABLES.items():
        found = [(title, expression.replace(variable, value)) for title, expression in found]
    assert not [e for _, e in found if "$" in e]
    return found


def names(expression):
    return set(re.findall(r"\b((?:pruned|process)_\w+)", expression))


def without_data(promtool, folder, metrics):
    """The titles of panels that show nothing of METRICS (support/exposition.py)."""
    series = [{"series": f"{name}{{{', '.join(f'{k}={json.dumps(v)}' for k, v in [*dict(labels).items(), ('instance', 'a')])}}}", "values": f"{value}x10"}
              for (name, labels), value in metrics.samples.items()]
    looks = [{"eval_time": "8m", "expr": f"absent({expression})", "exp_samples": []} for _, expression in expressions()]
    (folder / "rules.yml").write_text("groups: []\n")
    file = folder / "dashboard.yml"
    file.write_text(json.dumps({"rule_files": ["rules.yml"], "evaluation_interval": "1m",
                                "tests": [{"interval": "1m", "input_series": series, "promql_expr_test": looks}]}))
    done = subprocess.run([promtool, "test", "rules", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=150)
    return {title for title, expression in expressions() if f'expr: "absent({expression})"' in done.stdout}, done
