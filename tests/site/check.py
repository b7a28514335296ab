"""site/check.py finds what is wrong with links, and only that."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "site"))
from check import problems  # noqa: E402

CASES = [
    ('<a href="b.html#there">', []),
    ('<a href="b.html#nowhere">', ["b.html#nowhere has no such place"]),
    ('<a href="c.html">', ["c.html leads nowhere"]),
    ('<a href="sub/">', ["sub/ is a folder"]),
    ('<a href="#here"><p id="here">', []),
    ('<a href="#gone">', ["#gone has no such place"]),
    ('<p data-address="rung n"><a href="#rung=a/b&n=64">', []),
    ('<p data-address="rung n"><a href="#rung=a/b&m=64">', ["has no such place"]),
    ('<p data-address="rung n"><a href="#rung=">', ["has no such place"]),
    ('<a href="https://example.org/">', []),
    ('<a href="mailto:a@example.org">', []),
    ('<script src="https://example.org/x.js"></script>', ["elsewhere"]),
    ('<link rel="stylesheet" href="//example.org/x.css">', ["elsewhere"]),
    ('<img src="data:image/png;base64,AAAA">', []),
    ('<img src="gone.png">', ["gone.png leads nowhere"]),
]
for text, expected in CASES:
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "sub").mkdir()
        (folder / "a.html").write_text(text)
        (folder / "b.html").write_text('<h1 id="there">')
        (folder / "x.css").write_text("a { background: url(data:image/png;base64,AAAA) }")
        found = problems(folder)
    if len(found) != len(expected) or not all(e in f for e, f in zip(expected, found)):
        sys.exit(f"FAILED: {text}: {found}")
with tempfile.TemporaryDirectory() as folder:
    sheet = "@import 'https://example.org/x.css'; a { b: url(\"//example.org/f.woff\") }"
    (pathlib.Path(folder) / "x.css").write_text(sheet)
    if len(problems(folder)) != 2:
        sys.exit("FAILED: sheets that ask for what is elsewhere")
print("links are told right from wrong")
