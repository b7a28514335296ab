#!/usr/bin/env python3
"""Measures the structure of the tree and holds each figure to its bound in bounds.json.

  tests/structure/structure.py [ROOT]                exit status 1 where a figure and its bound do not agree
  tests/structure/structure.py --list 'NAME' [ROOT]  every place that a figure counts
  tests/structure/structure.py --words [ROOT]        how often each word of words.json is found, and where
  tests/structure/structure.py --lower [ROOT]        lowers the bounds to today's figures
  tests/structure/structure.py --raise 'NAME' [ROOT] sets one bound to today's figure; the commit says why
"""
import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import assertions
import includes
import interface
import sizes
import words
from bounds import Bounds
from tree import Tree

RULES = (includes, interface, sizes, assertions, words)
SHOWN = 30  # findings of a figure that rose


def measure(tree):
    return [figure for rules in RULES for figure in rules.rules(tree)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parents[2], type=pathlib.Path)
    parser.add_argument("--list", metavar="NAME")
    parser.add_argument("--words", action="store_true")
    parser.add_argument("--lower", action="store_true")
    parser.add_argument("--raise", metavar="NAME", dest="raised", action="append", default=[])
    parser.add_argument("--json", action="store_true", help="print the figures alone")
    parser.add_argument("--bounds", type=pathlib.Path, help="another file of bounds")
    return parser.parse_args()


def print_table(figures, bounds):
    print(f"{'figure':58} {'today':>9} {'bound':>9} {'goal':>9}")
    for figure in figures:
        row, bound = bounds.row(figure.name), bounds.of(figure.name)
        print(f"{figure.name:58} {figure.value:>9} {'none' if bound is None else bound:>9} {row.get('goal', ''):>9}")


def report(figures, bounds):
    """Prints what does not agree; whether all does."""
    problems = list(bounds.problems(figures))
    for figure, sentence in problems:
        print(f"FAILED: {sentence}")
        if figure:
            for finding in figure.findings[:SHOWN]:
                print(f"  {finding}")
            if len(figure.findings) > SHOWN:
                print(f"  and {len(figure.findings) - SHOWN} more: structure.py --list '{figure.name}'")
    return not problems


def main():
    given = arguments()
    tree = Tree(given.root)
    if not tree.public_headers:
        sys.exit(f"{given.root} has no public header upsweep/*.hpp: it is not the root of the project")
    if given.words:
        print(*words.table(tree), sep="\n")
        return
    figures = measure(tree)
    by_name = {f.name: f for f in figures}
    unknown = [n for n in [given.list, *given.raised] if n and n not in by_name]
    if unknown:
        sys.exit(f"no figure is named '{unknown[0]}'; the names are: {', '.join(by_name)}")
    bounds = Bounds(given.bounds or given.root / "tests/structure/bounds.json")
    if given.list:
        print(*by_name[given.list].findings, sep="\n")
    elif given.json:
        print(json.dumps({f.name: f.value for f in figures}, indent=1))
    elif given.lower or given.raised:
        for name in given.raised:
            if not bounds.row(name):
                sys.exit(f"'{name}' has no row in {bounds.path}: add one by hand, with its goal and a sentence")
            bounds.set(name, by_name[name].value)
        if given.lower:
            bounds.lower(figures)
        bounds.save()
    else:
        print_table(figures, bounds)
        if not report(figures, bounds):
            sys.exit(1)


if __name__ == "__main__":
    main()
