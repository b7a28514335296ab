"""Why to trust it: how it is known that answers are right, what repeats bit for bit, what is promised to whom."""
WHOLE = [("How we know", "trust/index.md", "docs/how-we-know.md"),
         ("Determinism", "trust/determinism.md", "docs/determinism.md"),
         ("More devices", "trust/scaling.md", "docs/scaling.md"),
         ("CUDA GPUs", "trust/gpus.md", "docs/gpus.md"),
         ("Security", "trust/security.md", "SECURITY.md"),
         ("Contributing", "trust/contributing.md", "CONTRIBUTING.md")]


def plan(book):
    for _, page, file in WHOLE:
        book.shows(page, file)


def write(book):
    for _, page, file in WHOLE:
        book.show(page, file)
    book.nav.append(("Why trust it", [(title, page) for title, page, _ in WHOLE]))
