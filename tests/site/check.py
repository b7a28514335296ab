"""Tests that site/check.py reports broken links, and no others."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "site"))
from check import problems  # noqa: E402

CASES = [
    ('<a href="b.html#there">', []),
    ('<a href="b.html#nowhere">', ["the anchor of b.html#nowhere does not exist"]),
    ('<a href="c.html">', ["the target of c.html does not exist"]),
    ('<a href="sub/">', ["sub/ is a folder"]),
    ('<a href="#here"><p id="here">', []),
    ('<a href="#gone">', ["the anchor of #gone does not exist"]),
    ('<p data-address="variant n"><a href="#variant=a/b&n=64">', []),
    ('<p data-address="variant n"><a href="#variant=a/b&m=64">', ["does not exist"]),
    ('<p data-address="variant n"><a href="#variant=">', ["does not exist"]),
    ('<a href="https://example.org/">', []),
    ('<a href="mailto:a@example.org">', []),
    ('<script src="https://example.org/x.js"></script>', ["from another host"]),
    ('<link rel="stylesheet" href="//example.org/x.css">', ["from another host"]),
    ('<img src="data:image/png;base64,AAAA">', []),
    ('<img src="gone.png">', ["the target of gone.png does not exist"]),
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
        sys.exit("FAILED: style sheets with resources of another host")
print("broken links are reported, and no others")
