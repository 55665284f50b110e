"""Settings: from `pruned config --example`, and from the list of those that SIGHUP takes over."""

import re
import subprocess
from functools import cache

from .text import ROOT, code, head, table, wrap

SECTION = re.compile(r"^\[(.*)\]$")
OPTION = re.compile(r"^#(\S+) =(?: (.*))?$")
HELP = re.compile(r"^# (.*) \(([^()]*(?:\([^()]*\))?[^()]*)\)$")


@cache
def example(binary):
    return subprocess.run([binary, "-c", "/dev/null", "config", "--example"], capture_output=True, text=True, check=True,
                          env={"PATH": "/usr/bin:/bin"}).stdout


@cache
def sections(binary):
    """{section: {key: (default, help, wanted)}}; `jobs` has the help of every job's keys,
    `jobs.<name>` the defaults."""
    found, section, said = {}, "jobs", None
    for line in example(binary).splitlines():
        if line.startswith("# Every job has a section"):
            section = "jobs"
        elif match := SECTION.match(line):
            section = match[1]
        elif match := OPTION.match(line):
            found.setdefault(section, {})[match[1]] = (match[2] or "", *(said or ("", "")))
            said = None
        elif match := HELP.match(line):
            said = match.groups()
            key, _, text = said[0].partition(": ")
            if section == "jobs" and re.fullmatch(r"\w+", key):
                found.setdefault("jobs", {})[key] = ("", text, said[1])
    return found


@cache
def live():
    """(section, key) of what SIGHUP takes over."""
    text = (ROOT / "src/config/settings.c").read_text()
    body = re.search(r"settings_live\[\]\[2\]\s*=\s*\{(.*?)\};", text, re.S)[1]
    pairs = re.findall(r'\{\s*("[\w.]+"|SETTINGS_JOBS),\s*"(\w+)"\s*\}', body)
    return {(section.strip('"').replace("SETTINGS_JOBS", "jobs"), key) for section, key in pairs}


OURS = {"ONLY": "`{}`", "NEVER": "not `{}`", "UNSET": "not set", "LEAST": "at least `{}`", "MOST": "at most `{}`"}


@cache
def ours():
    """(key, which values work, why) of librdkafka's settings that are pruned's or bounded."""
    text = (ROOT / "src/kafka/ours.c").read_text()
    body = re.search(r"kafka_ours\[\] = \{(.*?)\{ NULL \}", text, re.S)[1]
    rows = re.findall(r'\{\s*"([^"]+)",\s*OURS_(\w+),\s*"([^"]*)",\s*"([^"]+)"\s*\}', body)
    return [(key, OURS[rule].format(value), why) for key, rule, value, why in rows]


def variable(section, key):
    return "PRUNED_" + re.sub(r"\W", "_", f"{section}_{key}").upper()


def shown(value):
    return f"`{value}`" if value else "empty"


def when(section, key):
    return "SIGHUP" if (section, key) in live() else "restart"


def section_table(section, keys):
    rows = [(f"`{key}`", shown(default), wanted, said, when(section, key)) for key, (default, said, wanted) in keys.items()]
    return table(("key", "default", "values", "what it does", "takes effect"), rows)


def job_keys(binary, keys):
    rows = [(f"`{key}`", wanted, said, when("jobs", key)) for key, (_, said, wanted) in keys.items()]
    return table(("key", "values", "what it does", "takes effect"), rows)


def defaults(binary):
    """What differs from job to job."""
    every = sections(binary)
    names = sorted(s.removeprefix("jobs.") for s in every if s.startswith("jobs."))
    of = {k: {n: every[f"jobs.{n}"][k][0] for n in names if k in every[f"jobs.{n}"]} for k in every["jobs"]}
    keys = [k for k, values in of.items() if len(values) < len(names) or len(set(values.values())) > 1]
    rows = [(f"`{n}`", *(shown(of[k][n]) if n in of[k] else "-" for k in keys)) for n in names]
    same = {k: values[names[0]] for k, values in of.items() if k not in keys}
    text = "; ".join(f"`{k}` {shown(v)}" for k, v in same.items())
    return f"{wrap('Which keys a job uses, and their defaults; `-`: it does not use it.')}\n\n" + table(("job", *(f"`{k}`" for k in keys)), rows) \
        + f"\n{wrap('The same for all jobs: ' + text + '.')}\n"


def page(binary):
    text = head("Settings",
                "A setting has a built-in default. The configuration file replaces it, an environment variable replaces the file, "
                "and `-s section.key=value` on the command line replaces both. `pruned config` shows each value and where it came from.",
                "The environment variable of a key is `PRUNED_<SECTION>_<KEY>` in capitals, with dots as underscores: "
                f"`{variable('postgres', 'url')}`, `{variable('jobs.members.remove_expired', 'delay_ms')}`. An empty variable is the empty "
                "value. An unknown key is an error, with the line and the nearest known name.",
                "The last column says when a change takes effect: after SIGHUP (`systemctl reload pruned`), or after a restart.")
    for section, keys in sections(binary).items():
        if section == "jobs":
            text += "## `[jobs.<name>]`\n\n" + wrap("Every job has a section of its own. A key that a job does not use has no effect on it "
                    "(`-` below), and is a warning.") + f"\n\n{job_keys(binary, keys)}\n{defaults(binary)}\n"
        elif section == "kafka":
            rows = [(f"`{key}`", value, why) for key, value, why in ours()]
            text += "## `[kafka]`\n\n" + wrap("What is in this section goes to librdkafka as it stands. `bootstrap.servers` is needed. "
                    "librdkafka's own reference lists the keys. These are pruned's, or work within bounds only (0 where it means off, too); another value is an error, with the line:") + "\n\n" \
                + table(("key", "value", "why"), rows) + "\n" + code("[kafka]\nbootstrap.servers = 127.0.0.1:9092") + "\n"
        elif not section.startswith("jobs."):
            text += f"## `[{section}]`\n\n{section_table(section, keys)}\n"
    return text.rstrip() + "\n"


def of_job(binary, job, *keys):
    every = sections(binary)
    rows = [(f"`{k}`", shown(every[f"jobs.{job}"][k][0]), every["jobs"][k][1]) for k in keys]
    return table((f"`[jobs.{job}]`", "default", "what it does"), rows)
