"""Who else may come to the view of nbody, and what they can do to it: strangers_at_the_view.py COMMAND

Other names, other sites' pages, words that are not the address's, requests and orders without end, connections that ask for nothing, and a
hundred pages that take nothing while the bodies go on. Real sockets, and no WebSocket library between.
"""
import base64
import contextlib
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time

command = os.path.abspath(sys.argv[1])
pages_at_most, connections_at_most = 128, 64  # as cli/nbody/page_server.cpp has them


class View:
    """A running `upsweep nbody --view`."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([command, "nbody", "--view", "--device", "cpu", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/(\w+)/", line)
        if not found:
            raise SystemExit(f"no address in {line!r}: {self.process.communicate()[1]}")
        self.port, self.token = int(found[1]), found[2]
        self.host = f"127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def connect(self, receive=None):
        s = socket.socket()
        if receive:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        s.settimeout(20)
        s.connect(("127.0.0.1", self.port))
        return s

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def head_of(s):
    """The status of the response and all bytes received; status 0 if the connection ended without a response."""
    got = b""
    with contextlib.suppress(ConnectionResetError, BrokenPipeError):
        while b"\r\n\r\n" not in got:
            piece = s.recv(65536)
            if not piece:
                break
            got += piece
    return (int(got.split()[1]) if got.startswith(b"HTTP/1.") else 0), got


def request(view, target, headers, method="GET", body=b""):
    """The status of one request on a connection of its own."""
    text = f"{method} {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
    with view.connect() as s:
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            s.sendall(text.encode("latin-1") + body)
        return head_of(s)[0]


def upgrade(view, origin="", host="", receive=None, token=""):
    """The status, and the socket where it is 101."""
    s = view.connect(receive)
    lines = [f"GET /{token or view.token}/live HTTP/1.1", f"Host: {host or view.host}", "Connection: Upgrade", "Upgrade: websocket",
             "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}"]
    if origin:
        lines.append(f"Origin: {origin}")
    s.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    status, got = head_of(s)
    if status != 101:
        s.close()
        return status, None
    return status, Page(s, got.split(b"\r\n\r\n", 1)[1])


class Page:
    """The socket of a page, frame by frame."""

    def __init__(self, s, got):
        self.socket, self.got = s, got

    def send(self, payload, opcode=1, final=True, masked=True, claim=None):
        n = len(payload) if claim is None else claim
        bits = 128 if masked else 0
        head = bytes([opcode | (128 if final else 0)])
        head += bytes([bits | n]) if n < 126 else bytes([bits | 126]) + struct.pack(">H", n) if n < 65536 else bytes([bits | 127]) + struct.pack(">Q", n)
        mask = b"\x5a\x01\xfe\x33"
        if masked:
            payload = bytes(b ^ mask[i % 4] for i, b in enumerate(payload))
        self.socket.sendall(head + (mask if masked else b"") + payload)

    def take(self, n):
        while len(self.got) < n:
            piece = self.socket.recv(1 << 20)
            if not piece:
                raise EOFError
            self.got += piece
        taken, self.got = self.got[:n], self.got[n:]
        return taken

    def message(self):
        """Opcode and payload of the next frame."""
        first, n = self.take(2)
        n = n if n < 126 else struct.unpack(">H", self.take(2))[0] if n == 126 else struct.unpack(">Q", self.take(8))[0]
        return first & 15, self.take(n)

    def closed_with(self):
        """The close code sent by the peer; 0 if the connection ended without one."""
        try:
            while True:
                opcode, payload = self.message()
                if opcode == 8:
                    return struct.unpack(">H", payload[:2])[0]
                if opcode == 2 and payload[0] == 1:
                    self.send(b"drawn")
        except (EOFError, ConnectionResetError, BrokenPipeError):
            return 0

    def until(self, wanted, seconds=20):
        """The first JSON message that matches; pictures are acknowledged at once."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            opcode, payload = self.message()
            if opcode == 2 and payload[0] == 1:
                self.send(b"drawn")
            elif opcode == 1:
                m = json.loads(payload)
                if wanted(m):
                    return m
        raise AssertionError("it never said what was waited for")

    def close(self):
        self.socket.close()


def own_page(view, **more):
    status, page = upgrade(view, f"http://{view.host}", **more)
    assert status == 101, status
    return page


def expect(got, wanted, what):
    if got not in (wanted if isinstance(wanted, tuple) else (wanted,)):
        raise SystemExit(f"{what}: {got} is not {wanted}")


def only_this_machine(view):
    """The port is open on the loopback address and on no other."""
    for table, loopback in (("/proc/net/tcp", "0100007F"), ("/proc/net/tcp6", None)):
        with open(table) as file:
            for line in file.readlines()[1:]:
                address, port = line.split()[1].split(":")
                if int(port, 16) == view.port and line.split()[3] == "0A":
                    expect(address, loopback, f"the address that port {view.port} listens on")


def other_names(view):
    page = f"/{view.token}/"
    expect(request(view, page, [("Host", view.host)]), 200, "its own address")
    expect(request(view, page, [("Host", f"localhost:{view.port}")]), 200, "localhost")
    for host in ("evil.example", f"evil.example:{view.port}", "127.0.0.1", f"127.0.0.1:{view.port + 1}", f"127.0.0.1.evil.example:{view.port}",
                 f"{view.host}.", f"0.0.0.0:{view.port}", f"evil@{view.host}", "", " "):
        expect(request(view, page, [("Host", host)]), 403, f"Host {host!r}")
        expect(upgrade(view, f"http://{view.host}", host=host or " ")[0], 403, f"a socket by Host {host!r}")
    expect(request(view, page, []), 403, "no Host")
    expect(request(view, page, [("Host", f"x{view.port}"), ("Host", view.host)]), 403, "two Hosts")


def other_sites(view):
    for origin in ("", "null", "http://evil.example", f"http://evil.example:{view.port}", f"https://{view.host}", f"http://127.0.0.1:{view.port + 1}",
                   "http://127.0.0.1", f"http://{view.host}.evil.example", f"http://{view.host}@evil.example", f"http://{view.host}/", "file://"):
        expect(upgrade(view, origin)[0], 403, f"Origin {origin!r}")
    expect(upgrade(view, f"http://localhost:{view.port}", host=f"localhost:{view.port}")[0], 101, "its own page by the other name")


def other_words(view):
    right = view.token
    assert len(right) == 32, right
    for word in ("", right[:-1], right + "0", right[:-1] + ("1" if right[-1] == "0" else "0"), right.upper() + "x", right[::-1] + "x", "%00" + right):
        expect(request(view, f"/{word}/", [("Host", view.host)]), 404, f"the word {word!r}")
        expect(upgrade(view, f"http://{view.host}", token=word or "/")[0], 404, f"a socket with the word {word!r}")
    for target in ("/", "/live", f"//{right}/", f"/{right}", "*", f"/{right}/../{right}/nothing"):
        expect(request(view, target, [("Host", view.host)]), (400, 404), target)


def requests_without_end(view):
    page, host = f"/{view.token}/", ("Host", view.host)
    expect(request(view, page + "x" * 100000, [host]), (431, 0), "a long line")
    expect(request(view, page, [host] + [(f"X-{i}", "y" * 1000) for i in range(100)]), (431, 0), "long headers")
    expect(request(view, page, [host] + [("A", "b")] * 100000), (431, 0), "many headers")
    expect(request(view, page, [host, ("Content-Length", "10")], "POST", b"0123456789"), 413, "a body")
    expect(request(view, page, [host, ("Content-Length", str(1 << 62))], "POST"), 413, "a long body")
    expect(request(view, page, [host, ("Transfer-Encoding", "chunked")], "POST", b"5\r\nhello\r\n0\r\n\r\n"), (413, 405), "a body in chunks")
    expect(request(view, page, [host], "POST"), 405, "POST")
    expect(request(view, page, [host, ("Content-Length", "-1")]), 400, "a length below 0")
    for garbage in (b"\x16\x03\x01\x02\x00\x01\x00", b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 20000):
        with view.connect() as s:
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                s.sendall(garbage + b"\r\n\r\n")
            expect(head_of(s)[0], (400, 431, 0), f"{garbage[:20]!r}")


def orders_without_end(view):
    for what, code, send in (
        ("a long order", 1009, lambda p: p.send(b"x" * 5000)),
        ("an order that claims 2^62 bytes", 1009, lambda p: p.send(b"x", claim=1 << 62)),
        ("a long order in pieces", 1009, lambda p: [p.send(b"x" * 100, opcode=0 if i else 1, final=False) for i in range(50)]),
        ("a frame without a mask", 1002, lambda p: p.send(b"{}", masked=False)),
        ("a long ping", 1002, lambda p: p.send(b"x" * 200, opcode=9)),
        ("an opcode that is none", 1002, lambda p: p.send(b"", opcode=5)),
        ("text that is no UTF-8", 1007, lambda p: p.send(b"\xff\xfe")),
    ):
        page = own_page(view)
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            send(page)
        expect(page.closed_with(), (code, 0), what)
        page.close()
    page = own_page(view)
    for order in (b"", b"{", b"[" * 4000, b"17", b"null", b'"pause"', b'{"do": 3}', b'{"do": "nothing"}', b'{"do": "speed"}', b'{"do": "speed", "value": 1e400}',
                  b'{"do": "speed", "value": -1}', b'{"do": "theta", "value": "x"}', b'{"do": "method", "value": []}', b'{"do": "race"}',
                  b'{"do": "scene", "scene": "/etc/passwd"}', b'{"do": "scene", "scene": "disk", "bodies": 1e9}', b'{"do": "scene", "scene": "disk", "seed": -1}'):
        page.send(order)
        said = page.until(lambda m: m["kind"] == "said")["text"]
        assert said and "\n" not in said, (order, said)
    before = page.until(lambda m: m["kind"] == "facts")["sides"][0]["step"]
    page.until(lambda m: m["kind"] == "facts" and m["sides"][0]["step"] > before + 2)  # and the view continues
    page.close()


def connections_that_ask_for_nothing(view):
    held = []
    for i in range(4 * connections_at_most):
        s = view.connect()
        s.sendall(b"" if i % 2 else b"GET / HTTP/1.1\r\nHost: ")
        held.append(s)
    began = time.monotonic()
    expect(request(view, f"/{view.token}/", [("Host", view.host)]), 200, "the page, among connections that ask for nothing")
    page = own_page(view)
    page.until(lambda m: m["kind"] == "facts")
    assert time.monotonic() - began < 10, "the page waited for connections that ask for nothing"
    assert view.open_files() < connections_at_most + 60, view.open_files()
    page.close()
    for s in held:
        s.close()


def pages_beyond_count(view):
    pages = [own_page(view) for _ in range(pages_at_most - 10)]
    refused = 0
    for _ in range(30):
        status, page = upgrade(view, f"http://{view.host}")
        expect(status, (101, 503), "one page more")
        refused += status == 503
        if page:
            pages.append(page)
    assert 10 <= refused, refused
    for page in pages:
        page.close()
    end = time.monotonic() + 20
    while (found := upgrade(view, f"http://{view.host}"))[0] != 101:
        assert time.monotonic() < end, "no page is let in after others have left"
        time.sleep(0.1)
    found[1].close()


def steps_in(page, seconds):
    first = page.until(lambda m: m["kind"] == "facts")
    began = time.monotonic()
    last = page.until(lambda m: m["kind"] == "facts" and time.monotonic() - began >= seconds, seconds + 30)
    return (last["sides"][0]["step"] - first["sides"][0]["step"]) / (time.monotonic() - began)


def a_hundred_slow_pages(view):
    """Half of the clients read nothing; the other half acknowledge pictures that they never read."""
    page = own_page(view)
    page.send(b'{"do": "speed", "value": 0}')
    alone = steps_in(page, 2)
    slow = [own_page(view, receive=4096) for _ in range(100)]
    stop = threading.Event()

    def claim():
        while not stop.wait(0.05):
            for p in slow[:50]:
                with contextlib.suppress(OSError):
                    p.socket.settimeout(0.2)
                    p.send(b"drawn")

    claims = threading.Thread(target=claim)
    claims.start()
    try:
        beside = steps_in(page, 2)
        settled = view.resident()
        beside = max(beside, steps_in(page, 4))
        grown = view.resident() - settled
    finally:
        stop.set()
        claims.join()
    # A quarter of the rate is enough: the machine may have other work, and a hundred clients are a load as well.
    assert beside > alone / 4, f"{beside:.0f} steps a second beside a hundred slow pages, {alone:.0f} alone"
    most = 500e6 if "ASAN_OPTIONS" in os.environ else 50e6  # the sanitizer keeps freed memory for a while
    assert grown < most, f"{grown / 1e6:.0f} MB more in four seconds of slow pages"
    page.send(b'{"do": "pause"}')
    page.until(lambda m: m["kind"] == "facts" and m["paused"])
    for p in slow:
        p.close()
    page.close()
    print(f"{beside:.0f} steps a second beside a hundred slow pages, {alone:.0f} alone; {grown / 1e6:.1f} MB more")


def answers(s, seconds=20):
    """The statuses of all responses until the peer closes the connection or sends nothing for that long."""
    s.settimeout(seconds)
    got = b""
    with contextlib.suppress(ConnectionResetError, BrokenPipeError, socket.timeout):
        while piece := s.recv(65536):
            got += piece
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", got)], got


def requests_at_once(view):
    """Pipelining: each request is answered in order; nothing is answered after an invalid one."""
    right = f"GET /{view.token}/ HTTP/1.1\r\nHost: {view.host}\r\n\r\n".encode()
    other = f"GET /{view.token}/ HTTP/1.1\r\nHost: evil.example\r\n\r\n".encode()
    last = f"GET /{view.token}/nothing HTTP/1.1\r\nHost: {view.host}\r\nConnection: close\r\n\r\n".encode()
    for what, sent, wanted in (
        ("three requests at once", right + other + last, [200, 403, 404]),
        ("a request behind the last", last + right, [404]),
        ("a request behind what is none", b"nonsense\r\n\r\n" + right, [400]),
        ("a request in a body", right.replace(b"\r\n\r\n", b"\r\nContent-Length: %d\r\n\r\n" % len(right)) + right, [413]),
        ("two lengths", right.replace(b"\r\n\r\n", b"\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n") + right, [400]),
        ("a length and chunks", right.replace(b"\r\n\r\n", b"\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n") + right, [400]),
        ("HTTP/1.0, which keeps nothing", right.replace(b"HTTP/1.1", b"HTTP/1.0") + right, [200]),
    ):
        with view.connect() as s:
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                s.sendall(sent)
            expect(answers(s, 3)[0], wanted, what)
    # Three hundred requests, all sent before any response is read. The connection lives no longer than its time limit.
    with view.connect() as s:
        s.sendall(right * 299 + last)
        expect(answers(s)[0], [200] * 299 + [404], "three hundred requests at once")


def words_that_come_back(view):
    """No response contains bytes from the client, and no path leads outside the page's files."""
    for target in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "/index.html/../..", "/./", "//etc/passwd", "/%69ndex.html", "/index.html?x", "/view.js%00.css"):
        expect(request(view, f"/{view.token}{target}", [("Host", view.host)]), (400, 404), target)
    marker = "S3nt1nel"
    for sent in (f"GET /{view.token}/{marker} HTTP/1.1\r\nHost: {view.host}\r\nX-{marker}: {marker}\r\nCookie: {marker}\r\n\r\n",
                 f"GET /{view.token}/ HTTP/1.1\r\nHost: {view.host} {marker}\r\nConnection: close\r\n\r\n",
                 f"GET /{view.token}/ HTTP/1.1\r\nHost: {view.host}\rX-{marker}: 1\r\nConnection: close\r\n\r\n",
                 f"GET /{marker}%0d%0aX-{marker}:1 HTTP/1.1\r\nHost: {view.host}\r\nConnection: close\r\n\r\n",
                 f"TRACE /{view.token}/{marker} HTTP/1.1\r\nHost: {view.host}\r\nConnection: close\r\n\r\n"):
        with view.connect() as s:
            s.sendall(sent.encode())
            s.shutdown(socket.SHUT_WR)
            _, got = answers(s, 3)
            expect(got.count(b"HTTP/1."), 1, f"answers to {sent[:60]!r}")
            assert marker.encode() not in got, (sent, got)
            assert view.token.encode() not in got, "an answer holds the word"
            assert b"\r\nX-Content-Type-Options: nosniff\r\n" in got and b"frame-ancestors 'none'" in got, got
    for method in ("HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "NONSENSE"):
        expect(request(view, f"/{view.token}/", [("Host", view.host)], method), (400, 405), method)
    expect(request(view, f"{view.host}:443", [("Host", view.host)], "CONNECT"), (400, 404), "CONNECT")


def upgrades_that_are_none(view):
    key = base64.b64encode(os.urandom(16)).decode()
    right = {"Host": view.host, "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key,
             "Origin": f"http://{view.host}"}
    for changed in ({"Connection": "close"}, {"Upgrade": "h2c"}, {"Sec-WebSocket-Version": "8"}, {"Sec-WebSocket-Version": None}, {"Sec-WebSocket-Key": None},
                    {"Sec-WebSocket-Key": "x" * 1000}, {"Connection": None}, {"Upgrade": None}):
        expect(request(view, f"/{view.token}/live", [(k, v) for k, v in {**right, **changed}.items() if v is not None]), (400, 426), f"an upgrade with {changed}")
    expect(request(view, f"/{view.token}/live", list(right.items()), "POST"), 400, "an upgrade by POST")
    expect(request(view, f"/{view.token}/live", list(right.items()) + [("Content-Length", "5")], body=b"hello"), 413, "an upgrade with a body")
    expect(request(view, f"/{view.token}/live", list(right.items()) + [("Origin", "http://evil.example")]), (101, 403), "two Origins")
    expect(request(view, f"/{view.token}/live", [("Origin", "http://evil.example")] + list(right.items())), 403, "another Origin first")


def frames_that_are_none(view):
    for what, code, send in (
        ("a piece of no message", 1002, lambda p: p.send(b"x", opcode=0)),
        ("a message within a message", 1002, lambda p: [p.send(b"x", final=False), p.send(b"y")]),
        ("a ping in pieces", 1002, lambda p: p.send(b"x", opcode=9, final=False)),
        ("a bit that nobody agreed on", 1002, lambda p: p.send(b"{}", opcode=1 | 64)),
        ("two lengths where one would do", 1002, lambda p: p.socket.sendall(bytes([0x81, 128 | 126, 0, 2]) + bytes(6))),
        ("a length beyond 2^63", 1009, lambda p: p.socket.sendall(bytes([0x81, 128 | 127]) + b"\xff" * 8 + bytes(4))),
        ("a close of one byte", 1002, lambda p: p.send(b"x", opcode=8)),
        ("a close with a code that is none", 1002, lambda p: p.send(struct.pack(">H", 1005), opcode=8)),
        ("a close with words that are no UTF-8", 1002, lambda p: p.send(struct.pack(">H", 1000) + b"\xff", opcode=8)),
        ("a close", 1000, lambda p: p.send(struct.pack(">H", 1000), opcode=8)),
        ("UTF-8 cut off in the last piece", 1007, lambda p: [p.send(b"\xe2", final=False), p.send(b"\x82", opcode=0)]),
    ):
        page = own_page(view)
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            send(page)
        expect(page.closed_with(), (code, 0), what)
        page.close()
    # Valid input: fragments with a ping between them, a binary order, many pings, and then a normal order.
    page = own_page(view)
    page.send(b'{"do": ', final=False)
    page.send(b"are you there", opcode=9)
    page.send(b'"nothing"}', opcode=0)
    assert "not known" in page.until(lambda m: m["kind"] == "said")["text"]
    page.send(b'{"do": "nothing"}', opcode=2)
    assert "not known" in page.until(lambda m: m["kind"] == "said")["text"]
    for _ in range(2000):
        page.send(b"x" * 125, opcode=9)
    for _ in range(500):
        page.send(b'{"do": "pause"}')
    page.until(lambda m: m["kind"] == "facts" and m["paused"])
    page.send(b'{"do": "go"}')
    page.until(lambda m: m["kind"] == "facts" and not m["paused"])
    page.close()


def requests_a_byte_at_a_time(view):
    """A client that sends a byte now and then has ten seconds for the whole request, not for each byte."""
    began = time.monotonic()
    with view.connect() as s:
        text = f"GET /{view.token}/ HTTP/1.1\r\nHost: {view.host}\r\nX: ".encode() + b"y" * 100
        s.settimeout(0.25)
        ended = False
        while time.monotonic() - began < 30 and not ended:
            try:
                s.sendall(text[:1])
                text = text[1:] or b"y"
                ended = s.recv(1000) == b""
            except socket.timeout:
                pass
            except (ConnectionResetError, BrokenPipeError):
                ended = True
    assert ended and time.monotonic() - began < 20, time.monotonic() - began
    files = view.open_files()
    # A page that went without a word, and one that sent half of a frame.
    for sent in (b"", b"\x81"):
        page = own_page(view)
        page.socket.sendall(sent)
        page.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        page.close()
    end = time.monotonic() + 10
    while view.open_files() > files and time.monotonic() < end:
        time.sleep(0.05)
    assert view.open_files() <= files, "a page that went leaves its socket open"


with View("--scene", "collision", "--bodies", "2000") as view:
    only_this_machine(view)
    other_names(view)
    other_sites(view)
    other_words(view)
    requests_without_end(view)
    orders_without_end(view)
    requests_at_once(view)
    words_that_come_back(view)
    upgrades_that_are_none(view)
    frames_that_are_none(view)
    requests_a_byte_at_a_time(view)
    connections_that_ask_for_nothing(view)
    pages_beyond_count(view)
    a_hundred_slow_pages(view)
    assert view.process.poll() is None, "it ended"
with View("--scene", "disk", "--bodies", "2000") as first, View("--scene", "disk", "--bodies", "2000") as second:
    assert first.token != second.token, "the word in the address is not drawn anew"
print("Strangers see nothing of the view, and do not hold it up")
