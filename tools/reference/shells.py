"""Completion for bash, zsh and fish: commands and options from the program's tables; names of jobs,
runs and tables from `pruned names`, which the shell asks with the configuration that is typed."""

import re

from .program import commands, program

NAMED = ("@jobs", "@runs", "@tables")  # what `pruned names` knows
MADE = "made by tools/docs.py from the tables of the program"


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def valued(options):
    return [o for o in options if o.value and o.needs]


# --- bash

BASH = """# bash completion for pruned: %s

_pruned_options() {
  case $1 in
%s
  esac
}

# What follows an option, or the command: words, and what begins with @: kinds of names.
_pruned_offers() {
  case $1 in
%s
  esac
}

_pruned_names() { command "${COMP_WORDS[0]}" "${given[@]}" names "$1" 2>/dev/null | tail -n +2; }

_pruned() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' given=() words='' offer i
  # readline makes a word of its own of `=` and of `:`
  [ "$cur" != = ] || cur=''
  [ "$prev" != = ] || prev=${COMP_WORDS[COMP_CWORD-2]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -c | --config | -s | --set)
        [ "${COMP_WORDS[i+1]}" != = ] || i=$((i + 1))
        given+=(-"$(case ${COMP_WORDS[i]}${COMP_WORDS[i-1]} in *-s* | *--set*) echo s ;; *) echo c ;; esac)" "${COMP_WORDS[i+1]}")
        i=$((i + 1)) ;;
      -*) ;;
      *) [ -n "$command" ] || command=${COMP_WORDS[i]} ;;
    esac
  done
  COMPREPLY=()
  case $cur in
    -*) words=$(_pruned_options "$command") ;;
    *)
      case $prev in
        -*) offer=$(_pruned_offers "$command $prev") ;;
        *) offer= ;;
      esac
      [ -n "$offer" ] || offer=$(_pruned_offers "$command")
      for i in $offer; do
        case $i in
          @jobs | @runs | @tables) words+=" $(_pruned_names "${i#@}")" ;;
          @keys) words+=" $(_pruned_names tables | sed 's/$/:/')"; compopt -o nospace 2>/dev/null ;;
          @files) compopt -o default 2>/dev/null; return ;;
          @commands) words+=" $(_pruned_offers '')" ;;
          @none) return ;;
          *) words+=" $i" ;;
        esac
      done ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _pruned pruned
"""


def spellings(option):
    return [f"--{option.name}"] + ([f"-{option.short}"] if option.short else [])


def bash(binary):
    every, of_all = commands(binary), program(binary)[1]
    options, offers = [], [f"    '') echo {quoted(' '.join(c.name for c in every))} ;;"]
    for name, known in [("''", of_all), *((c.name, c.options) for c in every)]:
        options.append(f"    {name}) echo {quoted(' '.join(s for o in known for s in spellings(o)))} ;;")
        prefix = "" if name == "''" else name
        offers += [f"    {'|'.join(quoted(f'{prefix} {s}') for s in spellings(o))}) echo {quoted(' '.join(o.offers) or '@none')} ;;" for o in valued(known)]
    offers += [f"    {c.name}) echo {quoted(' '.join(c.offers))} ;;" for c in every if c.offers]
    return BASH % (MADE, "\n".join(options), "\n".join(offers))


# --- zsh

ZSH = """#compdef pruned
# %s

_pruned_names() {
  local -a found
  found=(${(f)"$(command pruned $given names $1 2>/dev/null | tail -n +2)"})
  (( $#found )) && compadd -- $found
}

_pruned_keys() {
  local -a found
  found=(${(f)"$(command pruned $given names tables 2>/dev/null | tail -n +2)"})
  (( $#found )) && compadd -S : -- $found
}

_pruned_commands() {
  local -a all
  all=(
%s
  )
  _describe -t commands command all
}

_pruned() {
  local curcontext=$curcontext state line
  local -a given
  local -A opt_args
  local -i n
  for (( n = 2; n < CURRENT; n++ )); do
    case $words[n] in
      (-c|-s|--config|--set) given+=($words[n] $words[n+1]) ;;
      (--config=*|--set=*) given+=($words[n]) ;;
    esac
  done
  _arguments -C \\
%s
    '1: :_pruned_commands' '*:: :->rest' && return
  case $words[1] in
%s
  esac
}

_pruned "$@"
"""


def zsh_action(offers):
    if not offers:
        return " "
    words = [o for o in offers if o[0] != "@"]
    calls = [f"_pruned_names {o[1:]}" for o in offers if o in NAMED] + [f"_pruned_{o[1:]}" for o in offers if o in ("@keys", "@commands")]
    calls += ["_files"] * ("@files" in offers) + [f"compadd -- {' '.join(words)}"] * bool(words)
    return "_files" if calls == ["_files"] else "{" + "; ".join(calls) + "}"


def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_option(option):
    help_, value = f"[{zsh_text(option.help)}]", f":{zsh_text(option.value)}:{zsh_action(option.offers)}" if option.value else ""
    sign = "=" if option.needs else "=-"
    specs = [f"--{option.name}{sign if option.value else ''}{help_}{':' if value and not option.needs else ''}{value}"]
    specs += [f"-{option.short}{'+' if option.value else ''}{help_}{value}"] if option.short else []
    return [quoted(s) for s in specs]


def zsh(binary):
    every, of_all = commands(binary), program(binary)[1]
    names = "\n".join("    " + quoted(f"{c.name}:{c.help}") for c in every)
    cases = []
    for c in every:
        specs = [s for o in c.options for s in zsh_option(o)] + [quoted(f"*: :{zsh_action(c.offers)}")]
        cases.append(f"    ({c.name}) _arguments {' '.join(specs)} ;;")
    return ZSH % (MADE, names, "\n".join(f"    {s} \\" for o in of_all for s in zsh_option(o)), "\n".join(cases))


# --- fish

FISH = """# %s

function __pruned_names
    set -l given
    set -l typed (commandline -opc)
    for n in (seq 2 (count $typed))
        switch $typed[$n]
            case -c -s --config --set
                set -a given $typed[$n] $typed[(math $n + 1)]
            case '--config=*' '--set=*'
                set -a given $typed[$n]
        end
    end
    command pruned $given names $argv[1] 2>/dev/null | tail -n +2
end

complete -c pruned -f
%s
"""


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_words(offers, binary):
    said = {**{n: f"(__pruned_names {n[1:]})" for n in NAMED}, "@keys": "(__pruned_names tables):", "@commands": " ".join(c.name for c in commands(binary))}
    return " ".join(said.get(o, o) for o in offers if o != "@files")


def fish_option(when, option, binary):
    words = fish_words(option.offers, binary) if option.needs else ""
    takes = ("-r -F" if "@files" in option.offers else "-x") if option.value and option.needs else ""
    parts = ["complete -c pruned", when, f"-s {option.short}" if option.short else "", f"-l {option.name}", takes,
             f"-a {fish_quoted(words)}" if words else "", f"-d {fish_quoted(option.help)}"]
    return " ".join(p for p in parts if p)


def fish(binary):
    lines = [fish_option("-n __fish_use_subcommand", o, binary) for o in program(binary)[1]]
    for c in commands(binary):
        lines.append(f"complete -c pruned -n __fish_use_subcommand -a {c.name} -d {fish_quoted(c.help)}")
        when = f"-n '__fish_seen_subcommand_from {c.name}'"
        lines += [fish_option(when, o, binary) for o in c.options]
        if c.offers:  # fish asks for all words, also where an option is typed
            when = f"-n '__fish_seen_subcommand_from {c.name}; and not string match -q -- \"-*\" (commandline -ct)'"
            lines.append(f"complete -c pruned {when} -a {fish_quoted(fish_words(c.offers, binary))}")
    return FISH % (MADE, "\n".join(lines))


def scripts(binary):
    """{path below share: text}, where each shell looks for them."""
    return {"bash-completion/completions/pruned": bash(binary), "zsh/site-functions/_pruned": zsh(binary),
            "fish/vendor_completions.d/pruned.fish": fish(binary)}
