"""Manual pages: pruned(1), one of each command, pruned.conf(5) and pruned-jobs(5)."""

import re

from . import settings
from .commands import exit_codes
from .program import commands, program
from .text import ROOT

FILES = [("/etc/pruned/pruned.conf", "The configuration: pruned.conf(5). PRUNED_CONFIG or `-c` names another one."),
         ("/etc/pruned/jobs.d", "Jobs of your own: pruned-jobs(5)."),
         ("/etc/pruned/environment", "Variables for the unit pruned.service, such as PRUNED_POSTGRES_URL.")]


def plain(text):
    """As roff takes it."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M)


def inline(text):
    """Markdown within a line: code and strong words are bold, emphasis is italic, of a link its
    text stays."""
    text = re.sub(r"\[([^\]]+)\]\([^)\s]+\)", r"\1", text)
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*|(?<![\w*])\*[^*\s][^*]*\*(?!\w))", text)
    return "".join(rf"\fB{plain(p.strip('`'))}\fR" if p[:1] == "`" else rf"\fB{plain(p[2:-2])}\fR" if p[:2] == "**"
                   else rf"\fI{plain(p[1:-1])}\fR" if n % 2 else plain(p) for n, p in enumerate(parts)) if parts != [""] else ""


def line(text):
    """A line of its own: no control line, whatever it begins with."""
    said = inline(" ".join(text.split()))
    return rf"\&{said}" if said[:1] in (".", "'") else said


def entry(tag, *text):
    """TAG is roff."""
    return f".TP\n{tag}\n" + "\n.br\n".join(line(t) for t in text if t) + "\n"


def verbatim(text):
    return ".PP\n.RS 4\n.nf\n" + plain(text.rstrip()) + "\n.fi\n.RE\n"


def page(name, section, what, *parts):
    version = (ROOT / "VERSION").read_text().strip()
    head = f'.\\" Made by tools/docs.py from the tables of the program.\n.TH "{name.upper()}" "{section}" "" "pruned {version}" "pruned"\n'
    body = f".SH NAME\n{plain(name)} \\- {line(what)}\n" + "".join(parts)
    return head + re.sub(r"(^\.S[HS] .*\n)\.PP\n", r"\1", body, flags=re.M)


def titled(title, text):
    return f".SH {title}\n{text}"


def spelled(option):
    value = ("={}" if option.needs else "[={}]").format(rf"\fI{plain(option.value)}\fR") if option.value else ""
    return (rf"\fB\-{option.short}\fR, " if option.short else "") + rf"\fB\-\-{plain(option.name)}\fR{value}"


def options(of):
    return titled("OPTIONS", "".join(entry(spelled(o), o.help) for o in of))


def exits():
    return titled("EXIT STATUS", "".join(entry(inline(number), means) for number, means in exit_codes()))


def see(*names):
    return titled("SEE ALSO", ", ".join(rf"\fB{plain(n)}\fR({s})" for n, s in names) + "\n")


def of_command(command):
    return page(f"pruned-{command.name}", 1, command.help,
                titled("SYNOPSIS", rf"\fBpruned {command.name}\fR {plain(command.usage)}" + "\n"),
                titled("DESCRIPTION", "\n.PP\n".join(map(line, command.more or [command.help])) + "\n"), options(command.options),
                titled("EXAMPLE", verbatim(command.example)), see(("pruned", 1), ("pruned.conf", 5)))


def of_program(binary):
    what, options_ = program(binary)
    return page("pruned", 1, "removes rows of a PostgreSQL database that must no longer be kept",
                titled("SYNOPSIS", r"\fBpruned\fR [options] \fICOMMAND\fR [options]" + "\n"), titled("DESCRIPTION", line(what) + "\n"),
                titled("COMMANDS", "".join(entry(rf"\fB{c.name}\fR {plain(c.usage)}".rstrip(), c.help) for c in commands(binary))),
                options(options_), exits(), titled("FILES", "".join(entry(plain(path), text) for path, text in FILES)),
                see(("pruned.conf", 5), ("pruned-jobs", 5), *((f"pruned-{c.name}", 1) for c in commands(binary))))


def of_settings(binary):
    parts = [titled("DESCRIPTION", line("A key file: sections in brackets, and a line `key = value` for each setting. An environment variable "
                    "`PRUNED_<SECTION>_<KEY>` replaces what the file says, and `-s section.key=value` on the command line replaces both. "
                    "`pruned config` shows each value and where it came from; an unknown key is an error. What follows a name is its default.") + "\n"), ".SH SECTIONS\n"]
    for section, keys in settings.sections(binary).items():
        if section == "kafka":
            parts.append(".SS [kafka]\n" + line("What is in this section goes to librdkafka as it stands; `bootstrap.servers` is needed.") + "\n")
            parts += [entry(rf"\fB{plain(key)}\fR", f"{value}: {why}.") for key, value, why in settings.ours()]
        elif section == "jobs" or not section.startswith("jobs."):
            parts.append(f".SS [{'jobs.NAME' if section == 'jobs' else plain(section)}]\n")
            parts += [entry(rf"\fB{plain(key)}\fR" + (rf" = \fI{plain(default)}\fR" if default else ""), f"{text}.",
                            f"{wanted}; takes effect after {settings.when(section, key)}.") for key, (default, text, wanted) in keys.items()]
    return page("pruned.conf", 5, "the configuration of pruned", *parts, see(("pruned", 1), ("pruned-jobs", 5)))


def from_markdown(text):
    """Headings, paragraphs, lists, tables (an entry for each row) and blocks of code."""
    out = []
    for block in re.split(r"\n\n(?=\S)", text.strip()):
        if block.startswith("#"):
            out.append(f".SS {plain(block.lstrip('# '))}\n")
        elif block.startswith("```"):
            out.append(verbatim(re.sub(r"^```\w*\n|\n?```$", "", block)))
        elif block.startswith("|"):
            rows = [[cell.replace("\\|", "|") for cell in row.strip("| ").split(" | ")] for row in block.splitlines()[2:]]
            out += [entry(inline(row[0]), *row[1:]) for row in rows]
        elif block.startswith("- "):
            out += [f".IP \\(bu 2\n{line(item)}\n" for item in re.split(r"^- ", block, flags=re.M) if item]
        else:
            out.append(f".PP\n{line(block)}\n")
    return "".join(out)


def of_jobs():
    text = (ROOT / "docs/adding-a-job.md").read_text()
    chapter = re.search(r"^## Sentences\n(.*?)^## ", text, re.S | re.M)[1]
    return page("pruned-jobs", 5, "jobs of your own for pruned", ".SH DESCRIPTION\n", from_markdown(chapter), see(("pruned", 1), ("pruned.conf", 5), ("pruned-new", 1), ("pruned-check", 1)))


def pages(binary):
    """{path below share: text}"""
    found = {f"man/man1/pruned-{c.name}.1": of_command(c) for c in commands(binary)}
    return found | {"man/man1/pruned.1": of_program(binary), "man/man5/pruned.conf.5": of_settings(binary), "man/man5/pruned-jobs.5": of_jobs()}
