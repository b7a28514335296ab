"""Completion of the command line for bash, zsh and fish, made from the --help of every command."""


def sentence(text, most=80):
    """The effect of an option, shortened for a menu."""
    first = text.split(". ")[0].split("; ")[0].rstrip(".")
    return first if len(first) <= most else first[:most].rsplit(" ", 1)[0] + " …"


def children(help):
    return [(row.left, row.what) for _, row in help.commands]


# --- bash

BASH = """# Completion of upsweep for bash.
_upsweep() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
{commands}
    esac
  done
  local words='' values=''
  case "$command $before" in
{values}
  esac
  if [[ $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    return
  fi
  case $command in
{options}
  esac
  if [[ $word == -* || ! $command || ${{COMP_CWORD}} == 1 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; compgen -f -- "$word")
  fi
}}
complete -o filenames -F _upsweep upsweep
"""


def names_below(help):
    return "-".join(help.path[1:])


def bash(helps):
    commands, values, options = "", "", ""
    for help in helps:
        here = names_below(help)
        for name, _ in children(help):
            commands += f'      "{here} {name}") command={"-".join(filter(None, [here, name]))} ;;\n'
        for row in help.options:
            if row.choices:
                pattern = " | ".join(f'"{here} {n}"' for n in row.names)
                values += f"    {pattern}) values='{' '.join(row.choices)}' ;;\n"
        words = [name for name, _ in children(help)]
        words += [n for row in help.options for n in row.names if n.startswith("--")]
        if here == "help":
            words += [name for name, _ in children(helps[0])]
        pattern = here or "''"
        options += f"    {pattern}) words='{' '.join(words)}' ;;\n"
    return BASH.format(commands=commands.rstrip("\n"), values=values.rstrip("\n"), options=options.rstrip("\n"))


# --- zsh

def quoted(text):
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh_function(help, helps):
    name = "_".join(["_upsweep", *[p.replace("-", "_") for p in help.path[1:]]])
    out = f"{name}() {{\n"
    specs = []
    for row in help.options:
        value = f":{quoted(row.value)}:" if row.value else ""
        if value:
            value += f"({' '.join(row.choices)})" if row.choices else "_files"
        # Each name separately: if one is given, the others are no longer offered.
        others = f"({' '.join(row.names)})" if len(row.names) > 1 else ""
        specs += [f"'{others}{n}[{quoted(sentence(row.what))}]{value}'" for n in row.names]
    below = children(help)
    if below:
        names = "".join(f"    '{n}:{quoted(sentence(w))}'\n" for n, w in below)
        specs += ["'1:command:->command'", "'*::argument:->argument'"]
        out += f"  local -a commands=(\n{names}  )\n  local state line\n"
        out += "  _arguments -C " + " \\\n    ".join(specs) + "\n"
        out += "  case $state in\n    command) _describe -t commands command commands ;;\n"
        out += "    argument)\n      case $line[1] in\n"
        for n, _ in below:
            out += f"        {n}) {name}_{n.replace('-', '_')} ;;\n"
        out += "      esac ;;\n  esac\n"
    else:
        out += "  _arguments " + " \\\n    ".join(specs + ["'*:file:_files'"]) + "\n"
    return out + "}\n"


def zsh(helps):
    functions = "".join(zsh_function(h, helps) for h in helps)
    return f'#compdef upsweep\n# Completion of upsweep for zsh.\n{functions}_upsweep "$@"\n'


# --- fish

def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(helps):
    out = "# Completion of upsweep for fish.\n"
    for help in helps:
        path = help.path[1:]
        below = children(help)
        when = "; and ".join(f"__fish_seen_subcommand_from {p}" for p in path) or "__fish_use_subcommand"
        if below and path:
            when += "; and not __fish_seen_subcommand_from " + " ".join(n for n, _ in below)
        for name, what in below:
            out += f"complete -c upsweep -n {fish_quoted(when)} -f -a {name} -d {fish_quoted(sentence(what))}\n"
        for row in help.options:
            given = "".join(f" -l {n[2:]}" if n.startswith("--") else f" -s {n[1:]}" for n in row.names)
            value = f" -x -a {fish_quoted(' '.join(row.choices))}" if row.choices else (" -r" if row.value else "")
            out += f"complete -c upsweep -n {fish_quoted(when)}{given}{value} -d {fish_quoted(sentence(row.what))}\n"
    return out


def write(helps, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("upsweep.bash", bash(helps)), ("_upsweep", zsh(helps)), ("upsweep.fish", fish(helps))):
        (folder / name).write_text(text, encoding="utf-8")
