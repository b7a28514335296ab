#!/usr/bin/env python3
"""Opens every page of the site in Chromium, from files: the console must be empty, no page may use the network or be wider
than a phone, and pages to learn from may not be much higher than their content. The search must find the right pages first.
Uses the DevTools protocol over two pipes.

    tests/site/browse.py CHROMIUM SITE                            every page
    tests/site/browse.py CHROMIUM SITE --shots FOLDER PAGE...     pictures of some: light, dark, and as wide as a phone
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PHONE, DESK = 390, 1280
OWN = ("file:", "data:", "blob:", "about:")
# Searches, also with typing errors, and the page that must be the first result.
SEARCHES = {"exclusive_scan": "reference/scan.html", "prefix sum": "guide/running-total.html", "top k": "guide/sort.html",
            "groupby": "guide/group.html", "compaction": "guide/keep.html", "coalescing": "learn/machine.html",
            "prefx sum": "guide/running-total.html", "compacton": "guide/keep.html", "coalesing": "learn/machine.html",
            "histogramm": "guide/count.html"}
FIRST = """(async text => {
  const q = document.forms.find.query, began = Date.now();
  q.focus();
  q.value = text;
  document.querySelector('.md-search-result__list').textContent = '';
  q.dispatchEvent(new Event('input'));
  while (!document.querySelector('.md-search-result__link') && Date.now() - began < 9000) await new Promise(done => setTimeout(done, 10));
  const link = document.querySelector('.md-search-result__link');
  return [link ? link.getAttribute('href') : '', Date.now() - began];
})"""
# A page may be this high on a phone. The pages of LONG, which show whole files or tables of the repository, are not limited.
HIGHEST = 8000
LONG = ("source", "learn/lens", "performance", "reports", "reference", "notes", "trust", "guide", "changes", "command")


class Chromium:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp()
        to_it, self.to = os.pipe()
        self.answers, from_it = os.pipe()
        # The protocol uses file descriptors 3 and 4. Output of the program itself is ignored.
        wiring = f'exec "$0" "$@" 3<&{to_it} 4>&{from_it}'
        self.process = subprocess.Popen(
            ["bash", "-c", wiring, program, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--remote-debugging-pipe", "--disable-background-networking", "--no-first-run",
             f"--user-data-dir={self.profile}", "about:blank"],
            pass_fds=(to_it, from_it), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_it)
        os.close(from_it)
        self.number, self.buffer, self.events = 0, b"", []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.page(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.buffer:
            part = os.read(self.answers, 1 << 20)
            if not part:
                sys.exit("Chromium has ended")
            self.buffer += part
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, session=None, **parameters):
        self.number += 1
        asked = {"id": self.number, "method": method, "params": parameters}
        if session:
            asked["sessionId"] = session
        os.write(self.to, json.dumps(asked).encode() + b"\0")
        while True:
            said = self.message()
            if said.get("id") == self.number:
                if "error" in said:
                    sys.exit(f"{method}: {said['error']['message']}")
                return said["result"]
            self.events.append(said)

    def page(self, method, **parameters):
        return self.call(method, self.session, **parameters)

    def until(self, method):
        while True:
            for said in self.events:
                if said.get("method") == method:
                    return
            self.events.append(self.message())

    def value(self, script):
        found = self.page("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return found["result"].get("value")

    def size(self, width, height=900):
        self.page("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def scheme(self, name):
        self.page("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, url):
        self.events = []
        self.page("Page.navigate", url=url)
        self.until("Page.loadEventFired")
        self.value("new Promise(done => setTimeout(done, 30))")  # messages of scripts after the load

    def complaints(self):
        for said in self.events:
            method, p = said.get("method"), said.get("params", {})
            if method == "Runtime.consoleAPICalled":
                yield "console: " + " ".join(str(a.get("value", a.get("description", ""))) for a in p["args"])
            elif method == "Runtime.exceptionThrown":
                yield "exception: " + p["exceptionDetails"].get("exception", {}).get("description", "something")
            elif method == "Log.entryAdded":
                yield f"console: {p['entry']['text']} {p['entry'].get('url', '')}"
            elif method == "Network.requestWillBeSent" and not p["request"]["url"].startswith(OWN):
                yield f"network request: {p['request']['url']}"

    def close(self):
        self.call("Browser.close")
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def search_problems(browser, site):
    """The searches whose first result is another page, or that take a second, in a site that is opened from a file."""
    browser.size(DESK)
    browser.open((site / "index.html").as_uri())
    browser.value(FIRST + "('scan')")  # loads the index
    for text, page in SEARCHES.items():
        link, milliseconds = browser.value(f"{FIRST}({json.dumps(text)})")
        if page not in link.split("#")[0] or milliseconds > 1000:
            yield f"the search for '{text}' finds '{link}' first, in {milliseconds} ms, not {page}"


def every_page(browser, site):
    wrong = []
    pages = sorted(site.rglob("*.html"))
    browser.size(PHONE)
    for page in pages:
        browser.open(page.as_uri())
        name = page.relative_to(site)
        wrong += [f"{name}: {said}" for said in browser.complaints()]
        width = browser.value("document.documentElement.scrollWidth")
        height = browser.value("document.documentElement.scrollHeight")
        if height > HIGHEST and not any(part in name.as_posix() for part in LONG):
            wrong.append(f"{name}: {height} pixels high on a phone")
        if width > PHONE and "reports" not in page.parts:
            wrong.append(f"{name}: {width} pixels wide on a phone")
    wrong += search_problems(browser, site)
    wrong += [f"index.html: {said}" for said in browser.complaints()]
    print("\n".join(wrong) or f"{len(pages)} pages in Chromium without messages on the console")
    return bool(wrong)


def pictures(browser, site, folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        for label, width, scheme in (("light", DESK, "light"), ("dark", DESK, "dark"), ("phone", PHONE, "light")):
            browser.scheme(scheme)
            browser.size(width, 1000)
            browser.open((site / name).as_uri())
            browser.value("localStorage.clear()")
            shot = browser.page("Page.captureScreenshot", format="png")["data"]
            (folder / f"{name.replace('/', '-')}-{label}.png").write_bytes(base64.b64decode(shot))
    return 0


def main():
    program, site = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    browser = Chromium(program)
    if sys.argv[3:4] == ["--shots"]:
        status = pictures(browser, site, pathlib.Path(sys.argv[4]), sys.argv[5:])
    else:
        status = every_page(browser, site)
    browser.close()
    sys.exit(status)


if __name__ == "__main__":
    main()
