"""Recurrences, text and N-body."""
import json

import numpy as np
import pytest

import upsweep


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", [0, 1, 1000, 20_011])
def test_filters_are_scipys(rng, dtype, n):
    signal = pytest.importorskip("scipy.signal")
    x = rng.normal(size=n).astype(dtype)
    b, a = signal.butter(2, 0.2)
    assert np.allclose(upsweep.lfilter(b, a, x), signal.lfilter(b, a, x), atol=1e-4)
    assert np.allclose(upsweep.lfilter([2.0], [4.0], x), x / 2)
    average = upsweep.moving_average(x, 0.25, start=2)
    want = signal.lfilter([0.25], [1, -0.75], x, zi=[0.75 * 2])[0]
    assert np.allclose(average, want, atol=1e-4)


def test_long_filters(rng):
    signal = pytest.importorskip("scipy.signal")
    x = rng.normal(size=100_000)
    exact = signal.lfilter([1], [1, -2, 1], x.astype(np.longdouble))
    for dtype in ("f4", "f8"):
        want = exact if dtype == "f8" else signal.lfilter([1], [1, -2, 1], x.astype("f4").astype(np.longdouble))
        off = np.abs(upsweep.lfilter([1], [1, -2, 1], x.astype(dtype)) - want).max()
        theirs = signal.lfilter(np.array([1], dtype), np.array([1, -2, 1], dtype), x.astype(dtype))
        assert theirs.dtype == dtype and off <= np.abs(theirs - want).max()
    assert upsweep.lfilter([1], [1, -2], np.ones(2000))[-1] == np.inf
    x[500] = np.nan
    for b in ([0, .75, .25], [.5, .5]):
        assert np.allclose(upsweep.lfilter(b, [1.], x), signal.lfilter(b, [1.], x), equal_nan=True, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8", "u4", "u8"])
def test_recurrence(rng, dtype):
    a, b = (rng.integers(0, 5, 3001).astype(dtype) / (8 if dtype[0] == "f" else 1) for _ in range(2))
    a, b = a.astype(dtype), b.astype(dtype)
    want, last = [], np.array(3, dtype)
    with np.errstate(over="ignore"):
        for p, q in zip(a, b):
            last = (p * last + q).astype(dtype)
            want.append(last)
    assert np.allclose(upsweep.recurrence(a, b, start=3), want, rtol=1e-4)
    with pytest.raises(ValueError, match="give two sequences of one type and length"):
        upsweep.recurrence(a, b[1:])


def test_tokens():
    text = json.dumps({"a": [1, 2.5, None], "b": "c d", "ü": True} | {str(i): i for i in range(500)}, ensure_ascii=False)
    lexer = upsweep.Lexer.json()
    tokens = upsweep.tokenize(text, lexer)
    data = text.encode()
    cut = [data[int(t["first"]):int(t["first"]) + int(t["size"])].decode() for t in tokens]
    assert json.loads("".join(cut)) == json.loads(text) and len(cut) > 1500
    assert all(" " not in c or c[0] == '"' for c in cut) and len(set(lexer.kinds)) == len(lexer.kinds)
    words = upsweep.Lexer([("word", r"[a-z]+"), ("number", r"\d+"), ("space", r"\s+", True)])
    found = upsweep.tokenize(b"ab 12 c", words)
    assert [(words.kinds[t["kind"]], int(t["first"]), int(t["size"])) for t in found] == [("word", 0, 2), ("number", 3, 2), ("word", 6, 1)]
    assert upsweep.tokenize("", words).size == 0
    every_byte = upsweep.tokenize("a1" * 5000, words)
    assert len(every_byte) == 10_000
    with pytest.raises(upsweep.TextError, match="no token can have byte 3") as raised:
        upsweep.tokenize("ab ?", words)
    assert raised.value.stopped == 3
    with pytest.raises(ValueError):
        upsweep.Lexer([("open", "(")])
    with pytest.raises(ValueError, match="a rule is"):
        upsweep.Lexer([("open",)])


def test_fields(rng):
    csv = pytest.importorskip("csv")
    text = 'a,"b ""x"", y",c\n1,,"two\nlines"\n' * 50
    ends, records = upsweep.csv_fields(text)
    want = [field for row in csv.reader(text.splitlines(keepends=True)) for field in row]
    starts = np.concatenate([[0], ends[:-1] + 1]).astype(int)
    got = [text[s:int(e)] for s, e in zip(starts, ends)]
    assert records == 100 and [g.strip('"').replace('""', '"') for g in got] == want
    assert upsweep.csv_fields("a;b", ";")[0].tolist() == [1, 3]
    with pytest.raises(upsweep.TextError):
        upsweep.csv_fields('a,"b')


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_accelerations(rng, dtype):
    x, y, z = rng.normal(size=(3, 300)).astype(dtype)
    mass = rng.random(300).astype(dtype)
    d = np.stack([x, y, z]).astype("f8")
    apart = d[:, None, :] - d[:, :, None]
    r = np.sqrt((apart ** 2).sum(0) + 0.01)
    np.fill_diagonal(r, np.inf)
    want = (mass * apart / r ** 3).sum(2)
    *got, potential = upsweep.nbody.accelerations(x, y, z, mass, softening=0.1, potential=True, method="pairs")
    assert np.allclose(got, want, rtol=1e-3, atol=1e-3) and got[0].dtype == dtype
    assert np.allclose(potential, -(mass / r).sum(1), rtol=1e-4)
    tree = upsweep.nbody.accelerations(x, y, z, mass, softening=0.1, method="tree", theta=0.3)
    assert np.allclose(tree, want, rtol=0.05, atol=0.05)


@pytest.mark.parametrize("integrator", ["leapfrog", "hermite", "euler"])
def test_simulation(rng, integrator):
    # Two bodies on a circle are back at their start after one period.
    def body(a, b, kind="f8"):
        return np.array([a, b], kind)
    s = upsweep.nbody.Simulation(body(-0.5, 0.5), body(0, 0), body(0, 0), body(0, 0), body(-0.5, 0.5), body(0, 0), body(0.5, 0.5),
                                 integrator=integrator, dt=2 * np.pi / 20_000)
    before = s.measure()
    assert s.step(20_000) is s and s.steps == 20_000 and len(s) == 2
    assert s.time == pytest.approx(2 * np.pi) and s.dt == pytest.approx(2 * np.pi / 20_000)
    x, y, *_ = s.state
    assert np.allclose(x, [-0.5, 0.5], atol=1e-3) and np.allclose(y, [0, 0], atol=1e-2)
    after = s.measure()
    assert after.energy == pytest.approx(before.energy, rel=1e-3) and np.allclose(after.angular, before.angular)
    assert "20000 steps" in repr(s) and len(s.forces) == 4


@pytest.mark.parametrize("wrong, kind, says", [
    (lambda x: upsweep.nbody.accelerations(x, x, x, -x), ValueError, "mass"),
    (lambda x: upsweep.nbody.accelerations(x, x, x, x[1:]), ValueError, "give sequences of one type and length"),
    (lambda x: upsweep.nbody.accelerations(*[x.astype("i4")] * 4), TypeError, "bodies of int32; give float32 or float64"),
    (lambda x: upsweep.nbody.accelerations(x, x, x, x, thet=1), ValueError, "unknown parameter thet; the parameters are gravity"),
    (lambda x: upsweep.nbody.accelerations(x, x, x, x, method="fmm"), ValueError, "unknown method 'fmm'"),
    (lambda x: upsweep.nbody.Simulation(*[x] * 7, dt=0), ValueError, "a step of 0.* is not above 0"),
    (lambda x: upsweep.nbody.Simulation(*[x] * 7, integrator="rk4"), ValueError, "unknown integrator 'rk4'"),
])
def test_wrong_calls(wrong, kind, says):
    with pytest.raises(kind, match=says):
        wrong(np.arange(1.0, 5.0))
