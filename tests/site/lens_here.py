#!/usr/bin/env python3
"""Tests the page of the lens in Chromium, opened as a file: a variant runs, the address of a step opens that step again, two
variants are shown side by side, and the console is empty.

    tests/site/lens_here.py CHROMIUM SITE                   without the compiled lens only the recorded runs are tested
    tests/site/lens_here.py CHROMIUM SITE --shots FOLDER    pictures: light, dark, and as wide as a phone
    tests/site/lens_here.py CHROMIUM SITE --time N VARIANT...  seconds of a run, including the start of the worker
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
    held("scripts that were loaded before a run", browser.value("typeof upsweepLens"), "undefined")
    browser.value("document.querySelector('#lens-here form').requestSubmit()")
    waits(browser, PLAYED)
    held("the result", browser.value(count_of("result")), ["right"])
    held("work, of 2(n - 1) applications", browser.value(count_of("work")), ["126"])
    held("the message of a failed run", browser.value("document.querySelector('#lens-here .says').className"), "says")
    for _ in range(3):
        browser.value("document.querySelector('#lens-here .next').click()")
    held("the address", browser.value("location.hash"), "#variant=scan/blelloch-block&step=4")
    said = browser.value("document.querySelector('#lens-here .now').textContent")
    quiet(browser)
    opened(browser, page, "#variant=scan/blelloch-block&step=4")
    waits(browser, PLAYED)
    held("the step that an address opens", browser.value("document.querySelector('#lens-here .now').textContent"), said)
    quiet(browser)


def side_by_side(browser, page):
    opened(browser, page, "#variant=scan/blelloch-block&block=32&compare=scan/blelloch-padded&step=3&step2=5")
    waits(browser, "document.querySelectorAll('#lens-here .player .now').length", lambda n: n == 2)
    held("the variants side by side", browser.value("[...document.querySelectorAll('#lens-here .counts thead')][0].textContent"),
         "scan/blelloch-blockscan/blelloch-padded")
    one, other = (int(text.split(" ")[0].replace(",", "")) for text in browser.value(count_of("shared wavefronts (ideal)")))
    held("fewer wavefronts with padding", one > other, True)
    browser.value("document.querySelectorAll('#lens-here .heat').forEach(d => d.open = true)")
    waits(browser, "document.querySelector('#lens-here .banks').height", lambda h: h > 100)
    quiet(browser)


def refuses(browser, page):
    opened(browser, page, "#variant=sort/bitonic&n=64&type=f64&compare=")
    waits(browser, f"({SAYS}) !== 'Loading the lens …'")
    opened(browser, page, "#variant=scan/kogge-stone-warp&op=compose_affine&type=f32")
    held("the message for unsupported settings", "does not take" in waits(browser, f"{SAYS}.includes('does not take') && {SAYS}"), True)
    quiet(browser)


def key(browser, name, code, modifiers=0):
    for kind in ("keyDown", "keyUp"):
        browser.page("Input.dispatchKeyEvent", type=kind, key=name, code=code, modifiers=modifiers, windowsVirtualKeyCode=0,
                     **({"text": " "} if name == " " and kind == "keyDown" else {}))


STEP = "+document.querySelector('.player .scrub').value"
# Whether the current line of the source is visible within its box, and the box within the window.
IN_VIEW = """(() => {
  const box = document.querySelector('.player .source').getBoundingClientRect(), line = document.querySelector('.player .hot').getBoundingClientRect();
  return line.top >= box.top && line.bottom <= box.bottom && line.top >= 0 && line.bottom <= innerHeight;
})()"""


def player_shows(browser, page):
    """A link opens at the player; the line stays in view; a cell under the pointer shows its value; keys act where they belong."""
    opened(browser, page, "#variant=scan/blelloch-block&block=32&step=4")
    waits(browser, PLAYED)
    waits(browser, "scrollY", lambda y: y > 100)
    for step in range(40):
        held(f"the source line in view at step {step}", browser.value(IN_VIEW), True)
        browser.value("document.querySelector('.player .next').click()")
    browser.value("document.querySelector('.player').focus()")
    at = browser.value(STEP)
    key(browser, "ArrowRight", "ArrowRight")
    held("the step after an arrow", browser.value(STEP), at + 1)
    key(browser, "ArrowLeft", "ArrowLeft", modifiers=1)
    held("the step after Alt and an arrow", browser.value(STEP), at + 1)
    key(browser, " ", "Space")
    held("Space in the player", browser.value("document.querySelector('.player .play').textContent"), "Pause")
    key(browser, " ", "Space")
    browser.value("document.querySelector('#lens-here .link').focus()")
    key(browser, " ", "Space")
    held("Space outside of the player", browser.value("document.querySelector('.player .play').textContent"), "Play")
    x, y = browser.value("(() => { const r = document.querySelector('.player .picture').getBoundingClientRect(); return [r.left, r.top] })()")
    said = set()
    for down in range(20, 160, 5):
        browser.page("Input.dispatchMouseEvent", type="mouseMoved", x=x + 75, y=y + down)
        said.add(browser.value("document.querySelector('.player .tip').textContent"))
    held(f"a thread and a cell under the pointer ({said})", [any(word in text for text in said) for word in ("lane 0 of warp 0", "bank")], [True] * 2)
    quiet(browser)


def unknown(browser, page):
    opened(browser, page, "#variant=scan/bleloch-block")
    held("the message for an unknown variant", "scan/blelloch-block" in waits(browser, f"{SAYS}.includes('does not exist') && {SAYS}"), True)
    quiet(browser)


def pictures_play(browser, page):
    opened(browser, page)
    held("pictures", browser.value("document.querySelectorAll('.playing .now b').length >= 3"), True)
    quiet(browser)


def exercises(browser, page):
    opened(browser, page)
    held("exercises", browser.value("document.querySelectorAll('.exercise').length"), 10)
    browser.value("document.querySelector('.exercise [data-line=\"1\"]').click()")
    held("the verdict on a wrong line", browser.value("document.querySelector('.exercise .verdict').className"), "verdict bad")
    browser.value("document.querySelector('.exercise [data-line=\"6\"]').click()")
    held("the verdict on the right line", browser.value("document.querySelector('.exercise .verdict').className"), "verdict good")
    browser.value("document.querySelectorAll('.exercise input')[1].click()")
    held("details that the right fix opens", browser.value("document.querySelectorAll('.exercise ~ details[open]').length"), 2)
    quiet(browser)


def pictures(browser, page, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for label, width, scheme in (("light", DESK, "light"), ("dark", DESK, "dark"), ("phone", PHONE, "light")):
        browser.scheme(scheme)
        for name, address in (("one", "#variant=scan/blelloch-block&block=32&step=24"),
                              ("two", "#variant=scan/blelloch-block&block=32&compare=scan/blelloch-padded&step=24&step2=24")):
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
        opened(browser, page, f"#variant={name}&n={n}")
        begin = time.time()
        seconds = waits(browser, count_of("seconds in the browser"))
        print(f"{name:36} {seconds[0]} s, from the address to the table {time.time() - begin:.1f} s")


def main():
    program, site = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    page = site / "learn/play.html"
    browser = Chromium(program)
    if not (site / "lens/lens.js").exists():
        browser.size(DESK)
        player_shows(browser, page)
        unknown(browser, page)
        exercises(browser, site / "learn/exercises.html")
        pictures_play(browser, site / "learn/machine.html")
        print("recorded runs are played; the site was built without the lens, because Emscripten was not found")
    elif sys.argv[3:4] == ["--shots"]:
        pictures(browser, page, pathlib.Path(sys.argv[4]))
    elif sys.argv[3:4] == ["--time"]:
        timed(browser, page, int(sys.argv[4]), sys.argv[5:])
    else:
        runs(browser, page)
        player_shows(browser, page)
        unknown(browser, page)
        pictures_play(browser, site / "learn/machine.html")
        side_by_side(browser, page)
        refuses(browser, page)
        browser.size(PHONE)
        opened(browser, page, "#variant=reduce/interleaved-divergent&n=64&block=64")
        waits(browser, PLAYED)
        held("the width on a phone", browser.value("document.documentElement.scrollWidth") <= PHONE, True)
        exercises(browser, site / "learn/exercises.html")
        print("the lens runs in Chromium, and the address contains its settings")
    browser.close()


if __name__ == "__main__":
    main()
