"""Files of a copy of the job `scratch.remove`, and what `pruned check` says of them."""

JOB = "scratch.remove"


def write(pruned, name, text):
    path = pruned.folder / "jobs" / JOB / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"-- Asks for :nobody::text.\n{text}\n")
    return path


def errors(pruned, code):
    done = pruned.run("check", JOB, "--json")
    assert done.code == code, done
    return [one for one in done.json() if not one["ok"]]
