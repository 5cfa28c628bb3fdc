#!/usr/bin/env python3
"""scripts/browser.py PICTURES PAGE...: look at pages (.html) and figures (.svg) in chromium.

One browser for all of them, told what to do through its debugging pipe. A page is looked at
at three widths, light and dark, and as it is printed; a figure at its own size. Wrong is:
anything in the console, anything wider than the screen, text of a chart outside of it or on
top of another one, text with a contrast below 4.5, something that scrolls and that the
keyboard cannot reach, or reaches without a name to read. PICTURES is the folder for a picture of each look. Exit status 1 if
anything is wrong.
"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WIDTHS = (360, 768, 1280)
PRINTED = 700  # A4 with margins, in pixels of CSS

# Looks at the document as it is laid out now; a list of sentences about what is wrong.
LOOK = r"""(width => {
const said = [], say = s => said.push(s), root = document.documentElement
function light(colour) { // of a colour as CSS computes it, and its alpha
    const [r, g, b, a] = (colour.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number)
    const [x, y, z] = [r, g, b].map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    return [0.2126 * x + 0.7152 * y + 0.0722 * z, a === undefined ? 1 : a]
}
function behind(element) { // the light of what is painted behind it
    for (; element; element = element.parentElement) {
        const [l, alpha] = light(getComputedStyle(element).backgroundColor)
        if (alpha > 0) return l
    }
    return 1
}
function contrast() {
    for (const e of document.querySelectorAll('p,td,th,h1,h2,h3,summary,figcaption,code,caption,a,svg text')) {
        const svg = e.ownerSVGElement, style = getComputedStyle(e)
        if (!e.textContent.trim() || e.classList.contains('number') || !e.getClientRects().length) continue
        const [a] = light(svg ? style.fill : style.color), b = behind(svg ? svg.parentElement || svg : e)
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
        if (ratio < 4.5) { say('contrast ' + ratio.toFixed(2) + ': ' + e.textContent.slice(0, 30)); return }
    }
}
function chart(svg) {
    const area = svg.getBoundingClientRect(), title = svg.getAttribute('aria-label') || 'figure'
    if (area.width == 0) return
    const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()])
    texts.forEach(([text, box], i) => {
        if (box.left < area.left - 1 || box.right > area.right + 1 ||
            box.top < area.top - 1 || box.bottom > area.bottom + 1)
            say(title + ': outside: ' + text)
        for (const [other, b] of texts.slice(0, i))
            if (Math.min(box.right, b.right) - Math.max(box.left, b.left) > 1 &&
                Math.min(box.bottom, b.bottom) - Math.max(box.top, b.top) > 4)
                say(title + ': ' + text + ' on ' + other)
    })
}
if (innerWidth != width) say('the window has ' + innerWidth + ' pixels, not ' + width)
if (root.scrollWidth > width) say('wider than the screen')
contrast()
for (const e of document.querySelectorAll('div,figure'))
    if (!matchMedia('print').matches && e.scrollWidth > e.clientWidth + 1 && !e.hasAttribute('tabindex'))
        say('the keyboard cannot scroll: ' + e.textContent.slice(0, 30))
for (const e of document.querySelectorAll('[tabindex]'))
    if (!e.getAttribute('aria-label') || !e.getAttribute('role'))
        say('the keyboard stops at what has no name: ' + e.textContent.slice(0, 30))
const charts = [...document.querySelectorAll('svg[role=img]')]
if (root.tagName == 'svg' && !charts.includes(root)) charts.push(root)
if (!charts.length && !document.querySelector('table')) say('nothing is shown')
charts.forEach(chart)
return said
})(%d)"""


class Browser:
    """A chromium, and the pipe to it: JSON between zero bytes."""

    def __init__(self, profile):
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()
        command = ("exec chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run "
                   "--disable-background-networking --remote-debugging-pipe --user-data-dir=\"$0\" "
                   f"about:blank 3<&{to_browser} 4>&{from_browser} >/dev/null 2>&1")
        self.process = subprocess.Popen(["timeout", "300", "bash", "-c", command, profile],
                                        pass_fds=(to_browser, from_browser))
        os.close(to_browser)
        os.close(from_browser)
        self.session, self.number, self.rest, self.console = None, 0, b"", []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.inp, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(message)
        self.note(message)
        return message

    def note(self, message):
        """Keeps what a page says in the console, and errors."""
        params = message.get("params", {})
        if message.get("method") == "Runtime.consoleAPICalled":
            self.console.append(" ".join(str(a.get("value")) for a in params["args"]))
        elif message.get("method") == "Runtime.exceptionThrown":
            self.console.append(params["exceptionDetails"]["text"])
        elif message.get("method") == "Log.entryAdded":
            self.console.append(params["entry"]["text"])

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def open(self, path):
        self.console = []
        # file:// pages cannot be waited for before they are asked for
        self.call("Page.navigate", url=path.absolute().as_uri())
        while self.receive().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, code):
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"]["value"]

    def close(self):
        """The process is ours; it ends by itself once asked."""
        self.session = None
        self.call("Browser.close")
        self.process.wait(30)


def title(page):
    return page.stem if page.suffix == ".html" else "figure-" + page.stem


def views(page):
    """Name, width, media and colours of the looks at a page."""
    if page.suffix != ".html":
        yield "alone", WIDTHS[-1], "screen", "light"
        return
    for scheme in ("light", "dark"):
        for width in WIDTHS:
            yield f"{width}-{scheme}", width, "screen", scheme
    yield "printed", PRINTED, "print", "light"


def look(browser, page, pictures):
    """What is wrong with a page; pictures of it."""
    wrong = []
    browser.open(page)
    for name, width, media, scheme in views(page):
        browser.call("Emulation.setEmulatedMedia", media=media,
                     features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                     deviceScaleFactor=1, mobile=False)
        wrong += [f"{name}: {s}" for s in browser.evaluate(LOOK % width)]
        picture = browser.call("Page.captureScreenshot", captureBeyondViewport=True, optimizeForSpeed=True)
        (pictures / f"{title(page)}-{name}.png").write_bytes(base64.b64decode(picture["data"]))
    return wrong + ["console: " + c for c in browser.console]


def main():
    pictures, pages = pathlib.Path(sys.argv[1]), [pathlib.Path(p) for p in sys.argv[2:]]
    pictures.mkdir(parents=True, exist_ok=True)
    bad = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        for page in pages:
            for sentence in look(browser, page, pictures):
                print(f"{title(page)}: {sentence}")
                bad += 1
        browser.close()
    print(f"{len(pages)} pages and figures looked at, {bad} things wrong: pictures in {pictures}")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
