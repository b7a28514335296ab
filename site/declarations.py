"""Reads the public declarations of a header, without bodies. It understands enough C++ for headers formatted by
clang-format."""
import re

OPENED = {"upsweep", "UPSWEEP_COMPILED", "nbody", "textbook", "views", "upsweep::nbody", "upsweep::textbook"}
# An internal template parameter that callers do not give.
OWN_PARAMETER = re.compile(r",\s*class (?:By|CompiledBy) = this_compiler")

NO_DECLARATION = ("static_assert", "extern template", "template <>", "template struct", "template class")


class Declaration:
    def __init__(self, name, text, comment, heading):
        self.name, self.text, self.comment, self.heading = name, text, comment, heading


def after_literal(s, i):
    quote = s[i]
    i += 1
    while i < len(s) and s[i] != quote:
        i += 2 if s[i] == "\\" else 1
    return i + 1


def is_digit_separator(s, i):
    return s[i] == "'" and i > 0 and (s[i - 1].isalnum())


def skipped(s, i):
    """The position after a comment or literal that begins at i; otherwise i."""
    if s.startswith("//", i):
        end = s.find("\n", i)
        return len(s) if end < 0 else end
    if s[i] in "\"'" and not is_digit_separator(s, i):
        return after_literal(s, i)
    return i


def after_block(s, i):
    """The position after the bracket that closes the one at i."""
    depth = 0
    while i < len(s):
        j = skipped(s, i)
        if j != i:
            i = j
            continue
        if s[i] in "([{":
            depth += 1
        elif s[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    raise ValueError("a bracket is not closed")


def ends_in_requires(head):
    """Whether a brace after this text begins a requires-expression."""
    head = head.rstrip()
    if head.endswith(")"):
        depth, i = 0, len(head) - 1
        while i >= 0:
            depth += head[i] == ")"
            depth -= head[i] == "("
            if depth == 0:
                break
            i -= 1
        head = head[:i].rstrip()
    return head.endswith("requires")


def line_of_name(text):
    """The declaration without the template and requires lines above it."""
    lines = text.split("\n")
    # The first line may have lost its indentation.
    base = min(len(line) - len(line.lstrip()) for line in lines[1:] or lines if line.strip())
    at = 0
    if lines[0].lstrip().startswith("template"):
        depth, flat = 0, "\n".join(lines)
        i = flat.index("<")
        while True:
            depth += flat[i] == "<"
            depth -= flat[i] == ">" and flat[i - 1] != "-"
            i += 1
            if depth == 0:
                break
        rest = flat[i:].lstrip("\n ")
        lines, at = rest.split("\n"), 0
    while at + 1 < len(lines):
        line = lines[at].lstrip()
        if not line.startswith("requires") and len(lines[at]) - len(line) <= base:
            break
        at += 1
    return "\n".join(lines[at:]).strip()


def name_of(text):
    line = line_of_name(text)
    kind = re.match(r"(?:class|struct|enum class|enum|union|concept|using)\s+((?:alignas\([^)]*\) )?[\w:]+)", line)
    if kind:
        return kind[1]
    operator = re.search(r"\b(operator\s*\S+?)\s*\(", line)
    if operator:
        return operator[1]
    call = re.search(r"([\w~:]+)\s*\(", line.replace("decltype(auto)", ""))
    equals = line.find("=")
    if call and (equals < 0 or call.start() < equals):
        return call[1]
    variable = re.search(r"(\w+)\s*(?:[={;\[]|$)", line)
    return variable[1] if variable else line


class Reader:
    def __init__(self, text):
        self.s, self.i = text, 0

    def blank(self):
        """Skips white space, and returns the number of line ends in it."""
        begin = self.i
        while self.i < len(self.s) and self.s[self.i].isspace():
            self.i += 1
        return self.s.count("\n", begin, self.i)

    def rest_of_line(self):
        end = self.s.find("\n", self.i)
        end = len(self.s) if end < 0 else end
        line = self.s[self.i:end]
        self.i = end
        return line

    def one(self):
        """(head, inside) of one declaration: its text up to the body or the semicolon, and the body of a class, else None."""
        s, begin = self.s, self.i
        head, inside = "", None
        is_class = False
        while True:
            j = skipped(s, self.i)
            if j != self.i:
                head += s[self.i:j]
                self.i = j
                continue
            c = s[self.i]
            if c in "([":
                end = after_block(s, self.i)
                head += s[self.i:end]
                self.i = end
            elif c == ";":
                self.i += 1
                return head, inside
            elif c == "{":
                end = after_block(s, self.i)
                flat = re.sub(r"<[^;{}]*?>(?=\s)", "", head) if head.lstrip().startswith("template") else head
                line = line_of_name(s[begin:self.i].rstrip()) if head.strip() else ""
                plain = re.sub(r"alignas\([^)]*\)", "", line)
                is_class = bool(re.match(r"(class|struct|union|enum)\b", line)) and "(" not in plain
                function = "(" in line and not re.match(r"(using|concept)\b", line)
                plain = re.sub(r"\([^()]*(?:\([^()]*\)[^()]*)*\)|operator\s*\S+", "", line)
                equals = re.search(r"(?<![=!<>])=(?!=)", plain)
                if is_class:
                    inside = s[self.i + 1:end - 1]
                    head = head.rstrip() + " "
                    self.i = end
                elif ends_in_requires(head) or equals:
                    head += s[self.i:end]
                    self.i = end
                elif function:
                    # Braces that initialise a member of a constructor do not begin the body.
                    if re.search(r"\)\s*(noexcept\s*)?:\s", flat) and re.search(r"[\w>]$", head):
                        head += s[self.i:end]
                        self.i = end
                        continue
                    self.i = end
                    return re.sub(r"\)(\s*noexcept)?\s+:\s.*$", r")\1", head, flags=re.S).rstrip(), None
                else:
                    head += s[self.i:end]
                    self.i = end
            else:
                head += c
                self.i += 1


def indented_at(s, i):
    """The indentation before position i."""
    begin = s.rfind("\n", 0, i) + 1
    return s[begin:i] if s[begin:i].isspace() else ""


def members(inside, access):
    """The public members of a class, as text."""
    r, out, comment, said = Reader(inside), [], [], access == "public"
    while True:
        lines = r.blank()
        if lines > 1:
            out.append("") if out and out[-1] != "" and access == "public" else None
        if r.i >= len(r.s):
            break
        if r.s.startswith("//", r.i):
            pad = indented_at(r.s, r.i)
            text = r.rest_of_line()
            if access == "public":
                out.append(pad + text)
            continue
        if r.s.startswith("#", r.i):
            r.rest_of_line()
            continue
        label = re.compile(r"(public|private|protected):").match(r.s, r.i)
        if label:
            access = label[1]
            r.i = label.end()
            if access == "public" and not said:
                said = True
                out.append(" public:")
            continue
        pad = indented_at(r.s, r.i)
        head, nested = r.one()
        after = re.compile(r"[ \t]*(//[^\n]*)").match(r.s, r.i)
        if after:
            r.i = after.end()
        if access != "public" or head.lstrip().startswith(("static_assert", "friend class", "friend struct")):
            continue
        out.append(pad + shown(head, nested) + ("  " + after[1] if after else ""))
    while out and not out[-1].strip():
        out.pop()
    return "\n".join(out)


def shown(head, inside):
    head = OWN_PARAMETER.sub("", head.rstrip())
    if inside is None:
        return head + ";"
    line = line_of_name(head)
    if line.startswith("enum"):
        return f"{head} {{{inside}}};"
    body = members(inside, "private" if line.startswith("class") else "public")
    return f"{head} {{\n{body}\n}};" if body.strip() else f"{head};"


def is_constant(declaration):
    return declaration.text.startswith("inline constexpr") and bool(declaration.comment)


def declarations(text):
    """All declarations of a header, in order."""
    r, found, depth = Reader(text), [], 0
    comment, heading = [], ""
    while True:
        if r.blank() > 1:
            comment = []
        elif found and not comment and is_constant(found[-1]) and re.compile(r"template|[a-z]").match(r.s, r.i):
            # A constant between a comment and the call that the comment describes.
            comment, found[-1].comment = found[-1].comment, []
        if r.i >= len(r.s):
            return found
        if r.s.startswith("//", r.i):
            line = r.rest_of_line()
            section = re.match(r"// ----* (.*?)\s*-*$", line)
            if section:
                heading, comment = section[1].rstrip("."), []
            else:
                comment.append(line[3:])
            continue
        if r.s[r.i] == "#":
            while r.rest_of_line().endswith("\\"):
                r.i += 1
            comment = []
            continue
        if r.s[r.i] == "}":
            r.i += 1
            comment, depth = [], depth - 1
            continue
        if r.s.startswith("UPSWEEP_REFUSED(", r.i):  # a macro without a semicolon: deleted overloads that explain an error
            r.i, comment = after_block(r.s, r.i), []
            continue
        opened = re.compile(r"(?:inline )?namespace ([\w:]+)\s*\{").match(r.s, r.i)
        if opened:
            if opened[1] in OPENED:
                r.i, depth = opened.end(), depth + 1
            else:
                r.i = after_block(r.s, opened.end() - 1)
            comment = []
            continue
        if depth == 0:
            # Outside of the library's namespace: specialisations of std templates.
            r.one()
            comment = []
            continue
        head, inside = r.one()
        after = re.compile(r"[ \t]*(//[^\n]*)").match(r.s, r.i)
        if after:
            r.i = after.end()
        if not head.strip() or head.startswith(NO_DECLARATION):
            comment = []
            continue
        if inside is None and re.match(r"(template .*\n)?(class|struct) [\w:]+$", head.strip()):
            comment = []
            continue
        text = shown(head, inside) + ("  " + after[1] if after else "")
        found.append(Declaration(name_of(head), text, comment, heading))
        comment = []
