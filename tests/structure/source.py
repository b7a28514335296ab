"""C++ source as text: its code without comments and strings, its functions, its balanced brackets.

This is not a parser. It expects the layout of clang-format, and a figure may be off where macros open or close braces.
"""
import bisect
import re

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      |(?P<raw>R"(?P<mark>[^()\\\s]{0,16})\((?P<inside>.*?)\)(?P=mark)")
      |(?P<string>"(?:\\.|[^"\\\n])*")
      |(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'""",
    re.S | re.X,
)
NOT_NEWLINE = re.compile(r"[^\n]")
CLOSING = {"(": ")", "{": "}", "[": "]", "<": ">"}
SCOPE = re.compile(
    r"^\s*(?:(?:inline|typedef|static|export|extern\s*\"[^\"]*\")\s+)*"
    r"(?:namespace|class|struct|union|enum|extern)\b"
)
NOT_A_NAME = {"requires", "decltype", "noexcept", "alignas", "sizeof", "explicit", "__attribute__", "__launch_bounds__",
              "if", "while", "for", "switch", "return", "catch", "static_assert", "defined"}


def code_of(text):
    """The text with comments, strings and character constants blanked; offsets and lines stay."""
    def blank(match):
        if match.group("string"):
            return '"' + " " * (len(match.group()) - 2) + '"'
        return NOT_NEWLINE.sub(" ", match.group())
    return TOKEN.sub(blank, text)


def without_preprocessor(code):
    """Code with its directives blanked; of #if … #else the first branch alone where both together do not balance."""
    lines = code.split("\n")
    balanced = code.count("{") == code.count("}")
    skipping, depth, directive = [], 0, False
    for i, line in enumerate(lines):
        starts = line.lstrip().startswith("#")
        if starts:
            word = line.lstrip()[1:].split(None, 1)[:1]
            word = word[0] if word else ""
            if word.startswith("if"):
                skipping.append(False)
            elif word.startswith("el") and skipping:
                skipping[-1] = True
            elif word == "endif" and skipping:
                skipping.pop()
        if starts or directive or (not balanced and any(skipping)):
            lines[i] = " " * len(line)
        directive = (starts or directive) and line.endswith("\\")
    return "\n".join(lines)


def closing(code, at):
    """The offset of the bracket that closes the one at `at`, or None."""
    opening, close = code[at], CLOSING[code[at]]
    depth = 0
    for match in re.compile(f"[{re.escape(opening)}{re.escape(close)}]").finditer(code, at):
        if match.group() == close and opening == "<" and code[match.start() - 1] in "-=":
            continue  # -> and =>
        depth += 1 if match.group() == opening else -1
        if depth == 0:
            return match.start()
    return None


def without_groups(head):
    """A declaration's head without the contents of parentheses and angle brackets."""
    while True:
        shorter = re.sub(r"\([^()]*\)|<[^<>()]*>|\[\[[^\]]*\]\]", " ", head)
        if shorter == head:
            return head
        head = shorter


def name_of(head):
    """The name of the function whose declaration's head this is."""
    at = template_end(head)
    for match in re.finditer(r"(operator\s*(?:\(\)|[^\s\w(]+)|~?\w+)\s*\(", head[at:]):
        if match.group(1) not in NOT_A_NAME:
            return match.group(1).replace(" ", "")
    return "?"


def template_end(head):
    """Behind the template<…> that a head begins with."""
    match = re.compile(r"\s*template\s*<").match(head)
    end = closing(head, match.end() - 1) if match else None
    return end + 1 if end else 0


class Function:
    def __init__(self, name, begin, body, end):
        # Offsets of the head, of the body's {, and behind the last }.
        self.name, self.begin, self.body, self.end = name, begin, body, end


def functions(code):
    """The functions that a file defines, members included. A lambda or local class belongs to its function."""
    code = without_preprocessor(code)
    pairs = brace_pairs(code)
    found, at, start = [], 0, 0
    marks = re.compile(r"[;{}]")
    while match := marks.search(code, at):
        at = match.end()
        if match.group() != "{":
            start = at
            continue
        head, opening = code[start:match.start()], match.start()
        bare = without_groups(head[template_end(head):])
        if head.count("(") > head.count(")"):
            at = pairs.get(opening, opening) + 1  # a default argument
        elif SCOPE.match(bare) or re.match(r"\s*extern\s*\"", head):
            start = at
        elif "(" in head and not re.search(r"=\s*$", head):
            end = last_brace(code, pairs, opening)
            found.append(Function(name_of(head), start + len(head) - len(head.lstrip()), opening, end))
            at = start = end
        else:
            at = pairs.get(opening, opening) + 1  # an initialiser
    return found


def brace_pairs(code):
    pairs, stack = {}, []
    for match in re.finditer(r"[{}]", code):
        if match.group() == "{":
            stack.append(match.start())
        elif stack:
            pairs[stack.pop()] = match.start()
    return pairs


def last_brace(code, pairs, opening):
    """Behind a function's body; members initialised with braces come before it."""
    while True:
        end = pairs.get(opening, opening) + 1
        more = re.compile(r"\s*(?:,[^;{}]*)?\{").match(code, end)
        if not more:
            return end
        opening = more.end() - 1


class Lines:
    """Line numbers of offsets."""

    def __init__(self, text):
        self.ends = [m.start() for m in re.finditer("\n", text)]

    def of(self, offset):
        return bisect.bisect_left(self.ends, offset) + 1
