"""The textbook variants, read from their sources: no GPU, no compiler and no command is needed to list them."""
import re

# A field has two spaces after its name, except those such as "Fixed by".
FIELD = re.compile(r"^([A-Z][a-z]+ed by|[A-Z]\w+(?: \w+)?(?= {2})) +(\S.*)$")
NAME = re.compile(r"[a-z0-9-]+/[a-z0-9-]+")
STRINGS = r'((?:\s*"(?:[^"\\]|\\.)*")+)'
# The struct that describes a variant to the catalog begins here; the kernels are before it.
DESCRIPTION = re.compile(r"^(?:template <[^;{]*?>\n)?struct \w+(?: final)? : [\w:<>, ]*\{$", re.M)


def name_of(text):
    """The name of a variant, which is the first line of its file, or None."""
    first = text.split("\n", 1)[0].removeprefix("// ").strip()
    return first if NAME.fullmatch(first) else None


def header_fields(text):
    """The fields of the header comment of a textbook variant, as [name, text]."""
    rows = []
    for line in text.split("\n")[1:]:
        if not line.startswith("//"):
            break
        line = line[3:]
        field = FIELD.match(line)
        if field:
            rows.append([field[1], field[2]])
        elif rows and line.strip():
            rows[-1][1] += " " + line.strip()
    return rows


def joined(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)).replace('\\"', '"')


def description(text):
    """The members of the struct that describe the variant: source, teaches, traffic, …"""
    found = {}
    for name, value in re.findall(rf"std::string_view (\w+) ={STRINGS}", text):
        found[name] = joined(value)
    for name, value in re.findall(rf"formula (\w+)\{{{STRINGS}", text):
        found[name] = joined(value)
    year = re.search(r"\bint year = (\d+)", text)
    return found | ({"year": year[1]} if year else {})


def matching(text, at, pair="{}"):
    """The position after the bracket that closes the one at `at`."""
    depth = 0
    for position in range(at, len(text)):
        depth += (text[position] == pair[0]) - (text[position] == pair[1])
        if depth == 0:
            return position + 1
    return len(text)


def dedented(code):
    lines = code.strip("\n").split("\n")
    least = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[least:] for line in lines)


def kernels(text):
    """The code between the opening of the namespace and the struct that describes the variant."""
    space = re.search(r"^namespace [\w:]+ \{\n", text, re.M)
    begin = space.end() if space else 0
    end = DESCRIPTION.search(text, begin)
    code = text[begin:end.start() if end else len(text)]
    return re.sub(r"\n*\}  // namespace.*$", "", code, flags=re.S).strip("\n")


def host_code(text):
    """The function run() of the variant, which launches the kernels."""
    found = re.search(r"^( *)template <[^>]*class Grid[^>]*>\n *static void run\(", text, re.M)
    if not found:
        return ""
    body = text.index("{", matching(text, text.index("(", found.end() - 1), "()"))
    return dedented(text[found.start():matching(text, body)])


class Variant:
    def __init__(self, root, path):
        self.file, self.text = str(path.relative_to(root)), path.read_text(encoding="utf-8")
        self.name, self.algorithm = name_of(self.text), path.relative_to(root / "upsweep").parts[0]
        self.fields, self.says = dict(header_fields(self.text)), description(self.text)
        self.opencl = None  # the file of the same variant in OpenCL

    @property
    def step(self):
        return self.name.split("/")[1]

    @property
    def teaches(self):
        return self.says.get("teaches") or self.fields.get("Teaches", "")


def variants(root, order):
    """{name: Variant} of every CUDA source, in the order of the names that are given first."""
    found, opencl = {}, {}
    for path in sorted((root / "upsweep").glob("*/textbook/*")):
        if path.suffix in (".cuh", ".cl"):
            name = name_of(path.read_text(encoding="utf-8"))
            if name and path.suffix == ".cl":
                opencl[name] = str(path.relative_to(root))
            elif name:
                found[name] = Variant(root, path)
    for name, file in opencl.items():
        if name in found:
            found[name].opencl = file
    rank = {name: at for at, name in enumerate(order)}
    return dict(sorted(found.items(), key=lambda pair: rank.get(pair[0], len(rank))))
