"""Rules about the front: branches on the backend, and function templates that take a context."""
import re

import source
from figure import counted
from tree import in_backend

BRANCH = re.compile(r"[!=]=\s*(?:upsweep::)?backend::\w+|\bbackend::\w+\s*[!=]=|\bcase\s+(?:upsweep::)?backend::")
# The one file whose task is this branch.
MAY_BRANCH = {"upsweep/detail/execute.hpp"}
CONTEXT = re.compile(r"\bcontext\s*(?:const\s*)?(?:&|\s\w|,|$)")


def rules(tree):
    yield counted("branches on the backend outside of backends", branches(tree))
    yield counted("function templates that take a context", context_templates(tree))


def branches(tree):
    for path in tree.library:
        if in_backend(path) or path in MAY_BRANCH:
            continue
        for match in BRANCH.finditer(tree.code(path)):
            yield tree.place(path, match.start(), " ".join(match.group().split()))


def context_templates(tree):
    for path in tree.library:
        if "context" not in tree.text(path):
            continue
        code = source.without_preprocessor(tree.code(path))
        for match in re.finditer(r"\btemplate\s*<", code):
            name = template_with_context(code, match)
            if name:
                yield tree.place(path, match.start(), name)


def template_with_context(code, match):
    """The name of the function template that begins here, if one of its parameters is a context."""
    end = source.closing(code, match.end() - 1)
    at = end + 1 if end else len(code)
    while part := re.compile(r"(\w+)?\s*([({;=])").search(code, at):
        bracket = part.group(2)
        if bracket == "(":
            close = source.closing(code, part.end() - 1)
            if close is None:
                return None
            if part.group(1) not in source.NOT_A_NAME and CONTEXT.search(code[part.end():close]):
                return part.group(1) or "?"
            at = close + 1
            if part.group(1) == "requires" and (body := re.compile(r"\s*\{").match(code, at)):
                at = (source.closing(code, body.end() - 1) or len(code)) + 1
        elif bracket == "=" and code[part.end():part.end() + 1] == "=" or code[part.end() - 2:part.end() - 1] in "!<>=":
            at = part.end() + 1
        else:
            return None
    return None
