"""The bounds of bounds.json: a figure may not rise above its bound, and the bound falls with the figure."""
import json
import pathlib

FILE = pathlib.Path(__file__).with_name("bounds.json")


class Bounds:
    """A row has a name, a bound and a sentence. A row with 'each' has bounds for several figures, "NAME of EACH".

    With a step, the bound is the figure rounded up to a multiple of it, so that small changes need no new bound.
    """

    def __init__(self, path=FILE):
        self.path = pathlib.Path(path)
        self.about, self.rows = "", []
        if self.path.is_file():
            listed = json.loads(self.path.read_text(encoding="utf-8"))
            self.about, self.rows = listed["about"], listed["figures"]

    def _find(self, name):
        """The dictionary that holds a figure's bound, its key there, and the row; None without a bound."""
        for row in self.rows:
            prefix = row["name"] + " of "
            if row["name"] == name and "bound" in row:
                return row, "bound", row
            if "each" in row and name.startswith(prefix):
                return row["each"], name[len(prefix):], row
        return None

    def of(self, name):
        found = self._find(name)
        return found[0].get(found[1]) if found else None

    def row(self, name):
        found = self._find(name)
        return found[2] if found else {}

    def rounded(self, name, value):
        step = self.row(name).get("step", 1)
        return -(-value // step) * step

    def set(self, name, value):
        found = self._find(name)
        if not found:
            raise KeyError(name)
        found[0][found[1]] = self.rounded(name, value)

    def problems(self, figures):
        """A sentence for each figure that does not agree with its bound."""
        shown = "/".join(self.path.parts[-3:])
        for figure in figures:
            bound = self.of(figure.name)
            if bound is None and self.row(figure.name):
                advice = f"structure.py --raise '{figure.name}' adds one"
                yield figure, f"{figure.name} is {figure.value} and has no bound: {advice}"
            elif bound is None:
                yield figure, f"{figure.name} is {figure.value} and has no bound: add a row to {shown}"
            elif figure.value > bound:
                yield figure, f"{figure.name} rose to {figure.value}; {shown} allows {bound}"
            elif (wanted := self.rounded(figure.name, figure.value)) < bound:
                advice = f"lower the bound of {figure.name} from {bound} to {wanted} in {shown}"
                yield None, f"{advice} (structure.py --lower)"
        for name in self.gone(figures):
            yield None, f"{name} has a bound in {shown} and is no longer measured: remove it (structure.py --lower)"

    def gone(self, figures):
        measured = {f.name for f in figures}
        names = [r["name"] for r in self.rows if "bound" in r]
        names += [f"{r['name']} of {e}" for r in self.rows for e in r.get("each", ())]
        return [n for n in names if n not in measured]

    def lower(self, figures):
        """Lowers each bound to its figure; never raises one."""
        for figure in figures:
            bound = self.of(figure.name)
            if bound is not None and figure.value <= bound:
                self.set(figure.name, figure.value)
        for name in self.gone(figures):
            holder, key, row = self._find(name)
            if holder is row:
                self.rows.remove(row)
            else:
                del holder[key]

    def save(self):
        rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in self.rows)
        text = f'{{\n "about": {json.dumps(self.about, ensure_ascii=False)},\n "figures": [\n  {rows}\n ]\n}}\n'
        self.path.write_text(text, encoding="utf-8")
