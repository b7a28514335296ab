#!/usr/bin/env python3
"""The lens in the page, in Chromium, from a file: a rung runs, a step is gone to, the address says it and brings it back, two rungs
stand side by side, and nothing is on the console.

    tests/site/lens_here.py CHROMIUM SITE                   ends with 77 where the site has no lens
    tests/site/lens_here.py CHROMIUM SITE --shots FOLDER    pictures: light, dark, and as wide as a phone
    tests/site/lens_here.py CHROMIUM SITE --time N RUNG...  seconds of a run, with the worker's start
"""
import base64
import pathlib
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browse import DESK, PHONE, Chromium  # noqa: E402

PLAYED = "document.querySelectorAll('#lens-here .player .now b').length"
SAYS = "document.querySelector('#lens-here .says').textContent"
LIMIT = 240


def held(what, found, expected):
    if found != expected:
        sys.exit(f"FAILED: {what}: {found!r}, not {expected!r}")


def waits(browser, script, wanted=lambda found: found):
    end = time.time() + LIMIT
    while time.time() < end:
        found = browser.value(script)
        if wanted(found):
            return found
        time.sleep(0.1)
    sys.exit(f"FAILED: {script} stayed {browser.value(script)!r}; the page says '{browser.value(SAYS)}'")


def opened(browser, page, address=""):
    browser.open("about:blank")
    browser.open(page.as_uri() + address)


def quiet(browser):
    held("the console", list(browser.complaints()), [])


def count_of(name):
    return (f"[...document.querySelectorAll('#lens-here .counts tr')].filter(r => r.firstChild.textContent === '{name}')"
            ".map(r => [...r.children].slice(1).map(c => c.textContent))[0]")


def runs(browser, page):
    browser.size(DESK)
    opened(browser, page)
    held("scripts that were loaded unasked", browser.value("typeof upsweepLens"), "undefined")
    browser.value("document.querySelector('#lens-here form').requestSubmit()")
    waits(browser, PLAYED)
    held("the result", browser.value(count_of("result")), ["right"])
    held("work, of 2(n - 1) applications", browser.value(count_of("work")), ["126"])
    held("a failed rung's words", browser.value("document.querySelector('#lens-here .says').className"), "says")
    for _ in range(3):
        browser.value("document.querySelector('#lens-here .next').click()")
    held("the address", browser.value("location.hash"), "#rung=scan/blelloch-block&step=4")
    said = browser.value("document.querySelector('#lens-here .now').textContent")
    quiet(browser)
    opened(browser, page, "#rung=scan/blelloch-block&step=4")
    waits(browser, PLAYED)
    held("the step that an address brings", browser.value("document.querySelector('#lens-here .now').textContent"), said)
    quiet(browser)


def side_by_side(browser, page):
    opened(browser, page, "#rung=scan/blelloch-block&block=32&beside=scan/blelloch-padded&step=3&step2=5")
    waits(browser, "document.querySelectorAll('#lens-here .player .now').length", lambda n: n == 2)
    held("the rungs side by side", browser.value("[...document.querySelectorAll('#lens-here .counts thead')][0].textContent"),
         "scan/blelloch-blockscan/blelloch-padded")
    one, other = (int(text.split(" ")[0].replace(",", "")) for text in browser.value(count_of("shared wavefronts (ideal)")))
    held("wavefronts that the padding saves", one > other, True)
    browser.value("document.querySelectorAll('#lens-here .heat').forEach(d => d.open = true)")
    waits(browser, "document.querySelector('#lens-here .banks').height", lambda h: h > 100)
    quiet(browser)


def refuses(browser, page):
    opened(browser, page, "#rung=sort/bitonic&n=64&type=f64&beside=")
    waits(browser, f"({SAYS}) !== 'The lens is loaded, once …'")
    opened(browser, page, "#rung=scan/kogge-stone-warp&op=compose_affine&type=f32")
    held("what is refused", "does not take" in waits(browser, f"{SAYS}.includes('does not take') && {SAYS}"), True)
    quiet(browser)


def exercises(browser, page):
    opened(browser, page)
    held("exercises", browser.value("document.querySelectorAll('.exercise').length"), 10)
    browser.value("document.querySelector('.exercise [data-line=\"1\"]').click()")
    held("a wrong line's word", browser.value("document.querySelector('.exercise .told').className"), "told bad")
    browser.value("document.querySelector('.exercise [data-line=\"6\"]').click()")
    held("a right line's word", browser.value("document.querySelector('.exercise .told').className"), "told good")
    browser.value("document.querySelectorAll('.exercise input')[1].click()")
    held("what opens with the mend", browser.value("document.querySelectorAll('.exercise ~ details[open]').length"), 2)
    quiet(browser)


def pictures(browser, page, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for label, width, scheme in (("light", DESK, "light"), ("dark", DESK, "dark"), ("phone", PHONE, "light")):
        browser.scheme(scheme)
        for name, address in (("one", "#rung=scan/blelloch-block&block=32&step=24"),
                              ("two", "#rung=scan/blelloch-block&block=32&beside=scan/blelloch-padded&step=24&step2=24")):
            browser.size(width, 1000)
            opened(browser, page, address)
            waits(browser, PLAYED)
            browser.value("document.querySelectorAll('#lens-here .heat').forEach(d => d.open = true)")
            tall = browser.value("document.documentElement.scrollHeight")
            held("the page's width", browser.value("document.documentElement.scrollWidth") <= width, True)
            browser.size(width, min(tall, 3200))
            time.sleep(0.5)
            shot = browser.page("Page.captureScreenshot", format="png")["data"]
            (folder / f"lens-{name}-{label}.png").write_bytes(base64.b64decode(shot))


def timed(browser, page, n, names):
    for name in names:
        opened(browser, page, f"#rung={name}&n={n}")
        begin = time.time()
        seconds = waits(browser, count_of("seconds here"))
        print(f"{name:36} {seconds[0]} s, from the address to the table {time.time() - begin:.1f} s")


def main():
    program, site = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    page = site / "ladder/lens-here.html"
    if not (site / "lens/lens.js").exists():
        print("skipped: the site was built without the lens: Emscripten was not there")
        sys.exit(77)
    browser = Chromium(program)
    if sys.argv[3:4] == ["--shots"]:
        pictures(browser, page, pathlib.Path(sys.argv[4]))
    elif sys.argv[3:4] == ["--time"]:
        timed(browser, page, int(sys.argv[4]), sys.argv[5:])
    else:
        runs(browser, page)
        side_by_side(browser, page)
        refuses(browser, page)
        browser.size(PHONE)
        opened(browser, page, "#rung=reduce/interleaved-divergent&n=64&block=64")
        waits(browser, PLAYED)
        held("the width on a phone", browser.value("document.documentElement.scrollWidth") <= PHONE, True)
        exercises(browser, site / "ladder/exercises.html")
        print("the lens runs in Chromium, and says where it is")
    browser.close()


if __name__ == "__main__":
    main()
