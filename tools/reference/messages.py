"""The records of schemas/avro, field by field."""

import json

from .text import ROOT, head, table, wrap

GROUPS = (("Ticks and work", "", "`Tick` asks for a run. `Work` is written and read by `pruned` only."),
          ("Events", "events", "What an application may announce on the topic of events."),
          ("Outcomes", "outcomes", "What `pruned` announces on the topic of outcomes."))


def kind(type_):
    """A type in words; null comes last."""
    if isinstance(type_, list):
        return " or ".join([kind(t) for t in type_ if t != "null"] + (["null"] if "null" in type_ else []))
    if not isinstance(type_, dict):
        return type_
    if type_["type"] == "array":
        return f"array of {kind(type_['items'])}"
    return f"{type_['type']} ({type_.get('logicalType') or 'JSON'})"


def default(field):
    return f"`{json.dumps(field['default'])}`" if "default" in field else ""


def record(path):
    schema = json.loads(path.read_text())
    rows = [(f"`{f['name']}`", kind(f["type"]), default(f), f.get("doc", "")) for f in schema["fields"]]
    fields = table(("field", "type", "default", "meaning"), rows) if rows else "It has no fields.\n"
    return f"### `{schema['namespace']}.{schema['name']}`\n\n{wrap(schema['doc'])}\n\n{fields}\n"


def page(binary):
    text = head("Message schemas",
                "The Avro records that `pruned` reads and writes, from `schemas/avro`. [Messages](../messages.md) says how they are framed, "
                "keyed and identified.")
    for title, folder, said in GROUPS:
        text += f"## {title}\n\n{wrap(said)}\n\n"
        text += "".join(record(path) for path in sorted((ROOT / "schemas/avro" / folder).glob("*.avsc")))
    return text.rstrip() + "\n"
