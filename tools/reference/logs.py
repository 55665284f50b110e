"""Log messages: every text that is given to the log, by the level and the file that gives it."""

import re

from .text import ROOT, calls, head, literal, sources, table, without_comments

# Name of the call: which argument is the level, and which the message.
CALLS = {"log_debug": ("debug", 0), "log_info": ("info", 0), "log_warning": ("warning", 0), "log_error": ("error", 0),
         "log_warning_every": ("warning", 2), "log_fields": (0, 1), "log_line": (0, 1), "log_format": (0, 1), "step_log": (1, 2),
         "rounds_failed": ("warning", 1), "clocks_agree": ("warning", 2)}
# Files that log a text which they are given. Where it comes from is listed by CALLS, is a text of a
# job, or of somebody else: an error, a message of librdkafka.
GIVEN = {"src/base/log.c", "src/base/log_format.c", "src/cli/cli.c", "src/engine/clock/chores.c", "src/engine/clock/clocks.c", "src/engine/clock/rounds.c",
         "src/engine/step/record.c", "src/engine/step/step_report.c", "src/engine/work/on_failure.c", "src/kafka/client.c"}
DECLARED = re.compile(r"const char \*\w+$")
LEVELS = ("debug", "info", "warning", "error")
CONF = re.compile(r"^log = (?:(debug|info|warning|error): )?(.*)$", re.M)
SQL = re.compile(r"'(debug|info|warning|error)' AS level, '((?:[^']|'')*)' AS message")


def constant(name, text):
    """The text that NAME stands for in this file or in a header."""
    for _, other in ((None, text), *sources(endings=("h",))):
        plain = re.sub(r"\\\n", " ", other)
        match = re.search(rf'#define {name}\s+((?:"(?:[^"\\]|\\.)*"\s*)+)|\b{name}\[\]\s*=\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', plain)
        if match:
            return literal(match[1] or match[2])
    return None


def messages(argument, text):
    """What ARGUMENT may be: a text, one of two, a constant; nothing if it is made while the program
    runs."""
    whole = literal(argument)
    if whole is not None:
        return [whole]
    if "?" in argument:
        return [m for m in (literal(part) for part in re.split(r"[?:](?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", argument)[1:]) if m]
    found = constant(argument, text) if re.fullmatch(r"[A-Z_]+", argument) else None
    return [found] if found else []


def levels(which, given):
    return [which] if isinstance(which, str) else [level.lower() for level in re.findall(r"\bLOG_(\w+)", given[which])]


def in_c():
    seen = set()
    for path, source in sources():
        if path.startswith(("src/base/log.", "src/base/log_format.")):
            continue
        text = without_comments(source)
        for name, (level, message) in CALLS.items():
            for _, given in calls(text, name):
                if len(given) > message:
                    seen.add(name)
                    found = messages(given[message], text)
                    if not found and path not in GIVEN and not DECLARED.match(given[message]):
                        raise SystemExit(f"{path}: the text that {name} gets is unknown: {given[message]}; see GIVEN in "
                                         "tools/reference/logs.py")
                    for said in found:
                        yield from ((said, one, path) for one in levels(level, given))
    if seen != set(CALLS):
        raise SystemExit(f"not called any more: {', '.join(sorted(set(CALLS) - seen))}; see CALLS in tools/reference/logs.py")


def in_jobs():
    for path, text in sources(endings=("conf",)):
        yield from ((said, level or "error", path) for level, said in CONF.findall(text))
    for path, text in sources(endings=("sql",)):
        yield from ((said.replace("''", "'"), level, path) for level, said in SQL.findall(text))


def page(binary):
    by_message = {}
    for said, level, path in (*in_c(), *in_jobs()):
        by_message.setdefault(said, (set(), set()))
        by_message[said][0].add(level)
        by_message[said][1].add(path)
    rows = [(f"`{said}`", ", ".join(sorted(ls, key=LEVELS.index)), ", ".join(f"`{p.removeprefix('src/')}`" for p in sorted(paths)))
            for said, (ls, paths) in sorted(by_message.items(), key=lambda item: item[0].lower())]
    return head("Log messages",
                "A line has `time`, `level`, `message`, and fields beside them. `[log] format = json` writes one object a line. Lines about "
                "a run have `job` and `run_id`; lines about one row have `user`, and `project` or `namespace`, with `root_namespace`.",
                "Names in braces are replaced by values. Files are those of `src`. Errors of a command (`pruned tick ...`) are not listed: "
                "they say what is wrong in words of their own. Messages of a job that is yours are in its `job.conf`.") \
        + table(("message", "level", "file"), rows)
