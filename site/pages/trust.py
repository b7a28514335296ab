"""Pages about trust: how results are tested, which results repeat bit for bit, and which promises the project makes."""
WHOLE = [("How we know", "trust/index.md", "docs/how-we-know.md"),
         ("Test records", "trust/test-records.md", "docs/test-records.md"),
         ("Determinism", "trust/determinism.md", "docs/determinism.md"),
         ("Several devices", "trust/scaling.md", "docs/scaling.md"),
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
