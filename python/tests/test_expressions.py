"""Expressions as operators, predicates and comparators compared with loops and NumPy, on the CPU and on an OpenCL device."""
import pickle

import numpy as np
import pytest
from conftest import random_array, opencl

import upsweep
from upsweep import expression

DEVICES = ["cpu", "cpu:2"] + ([opencl()] if opencl() else [])
FOLDED = ["i4", "u8", "f8"]


@pytest.fixture(params=DEVICES)
def on(request):
    with upsweep.device(request.param):
        yield


def running(x, axis):
    """Scan for the last element that is not a multiple of 3. The operator does not commute."""
    x = np.moveaxis(x, axis, 0)
    out, last = np.empty_like(x), np.zeros(x.shape[1:], x.dtype)
    for i, row in enumerate(x):
        last = np.where(row % 3 != 0, row, last)
        out[i] = last
    return np.moveaxis(out, 0, axis)


LAST = expression("b % 3 != 0 ? b : a", identity=0)
MOST = expression("a > b ? a : b", identity=-1e300)


@pytest.mark.parametrize("shape", [(6, 41, 8), (1, 1000, 3), (3, 2049), (5, 0, 3), (70,)])
def test_folds_along_each_axis(on, rng, shape):
    x = random_array(rng, int(np.prod(shape)), "i4", 1000).reshape(shape)
    for axis in range(-1, len(shape)):
        want = running(x, axis)
        assert np.array_equal(upsweep.scan(x, LAST, axis=axis), want)
        last = np.take(want, -1, axis) if want.shape[axis] else np.zeros([n for a, n in enumerate(shape) if a != axis % len(shape)], "i4")
        assert np.array_equal(upsweep.reduce(x, LAST, axis=axis), last)
        kept = upsweep.reduce(x, LAST, axis=axis, keepdims=True)
        assert kept.shape == np.sum(x, axis, keepdims=True).shape and np.array_equal(kept.reshape(last.shape), last)
        ahead = upsweep.scan(x, LAST, axis=axis, exclusive=True)
        lines, before = np.moveaxis(ahead, axis, 0), np.moveaxis(want, axis, 0)
        assert not len(lines) or (np.array_equal(lines[1:], before[:-1]) and not lines[0].any())


def test_folds_of_everything(on, rng):
    x = random_array(rng, 5000, "f8").reshape(50, 100)
    assert upsweep.reduce(x, MOST) == x.max()
    assert upsweep.reduce(x, MOST, keepdims=True).shape == (1, 1)
    assert np.array_equal(upsweep.scan(x, MOST), np.maximum.accumulate(x.reshape(-1)))
    assert np.array_equal(upsweep.reduce(x, MOST, axis=0), x.max(0))


@pytest.mark.parametrize("dtype", FOLDED)
@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
def test_orders_along_each_axis(on, rng, dtype, axis):
    x = random_array(rng, 6 * 41 * 8, dtype, 500).reshape(6, 41, 8)
    less = "(int)a / 10 > (int)b / 10"
    order = np.argsort(-(x.astype("i8") // 10), axis, kind="stable")
    assert np.array_equal(upsweep.argsort(x, axis, less=less), order)
    flat = x.reshape(-1) if axis is None else x
    want = np.take_along_axis(flat, order, -1 if axis is None else axis)
    assert np.array_equal(upsweep.sort(x, axis, less=expression(less)), want)


@pytest.mark.parametrize("n", [0, 1, 2, 255, 4099])
def test_searches(on, rng, n):
    x = random_array(rng, n, "i4", 1000)
    passes = x % 7 == 3
    assert upsweep.count_if(x, expression("x % 7 == 3")) == passes.sum()
    assert upsweep.find_if(x, expression("x % 7 == 3")) == (passes.argmax() if passes.any() else n)
    by = np.sort(x)
    wanted = random_array(rng, 300, "i4", 1100)
    for side in "left", "right":
        want = np.searchsorted(by // 10, wanted // 10, side)
        assert np.array_equal(upsweep.searchsorted(by, wanted, side, less="a / 10 < b / 10"), want)


def by_ten(x):
    return x // 10


def multiset(keys):
    there, counts = np.unique(keys, return_counts=True)
    return dict(zip(there.tolist(), counts.tolist()))


@pytest.mark.parametrize("dtype", FOLDED)
@pytest.mark.parametrize("n, m", [(0, 0), (0, 7), (1, 1), (255, 257), (4099, 1000)])
def test_sets_by_a_comparator(on, rng, dtype, n, m):
    """Elements with equal tens are equal. The last digit identifies the elements of a result and their input."""
    less = "(int)(a / 10) < (int)(b / 10)"
    a, b = (x[np.argsort(by_ten(x), kind="stable")] for x in (random_array(rng, k, dtype, 800).astype("i8").astype(dtype) for k in (n, m)))
    in_a, in_b = multiset(by_ten(a)), multiset(by_ten(b))
    both = np.concatenate([a, b])
    merged = both[np.argsort(by_ten(both), kind="stable")]
    assert np.array_equal(upsweep.merge(a, b, less=less), merged)

    def kept(x, first, last):
        """Return elements first(key) to last(key) of each run of equal elements of x."""
        seen, out = {}, []
        for v, key in zip(x.tolist(), by_ten(x).tolist()):
            place = seen[key] = seen.get(key, -1) + 1
            if first(key) <= place < last(key):
                out.append(v)
        return np.array(out, dtype)

    def ordered(x, y):
        z = np.concatenate([x, y])
        return z[np.argsort(by_ten(z), kind="stable")]

    many = 10**9
    rest_of_b = kept(b, lambda k: in_a.get(k, 0), lambda k: many)
    rest_of_a = kept(a, lambda k: in_b.get(k, 0), lambda k: many)
    assert np.array_equal(upsweep.set_union(a, b, less=expression(less)), ordered(a, rest_of_b))
    assert np.array_equal(upsweep.set_intersection(a, b, less=less), kept(a, lambda k: 0, lambda k: in_b.get(k, 0)))
    assert np.array_equal(upsweep.set_difference(a, b, less=less), rest_of_a)
    assert np.array_equal(upsweep.set_symmetric_difference(a, b, less=less), ordered(rest_of_a, rest_of_b))
    assert upsweep.includes(a, b, less=less) == all(in_a.get(k, 0) >= c for k, c in in_b.items())
    assert upsweep.includes(a, a[::2], less=less) and upsweep.includes(np.sort(a), np.sort(a)[1::2])
    assert upsweep.is_sorted(a, less=less) and upsweep.is_sorted(merged, less=less)
    assert upsweep.is_in_sorted(a, b, less=less).tolist() == [k in in_a for k in by_ten(b).tolist()]


@pytest.mark.parametrize("dtype", FOLDED)
@pytest.mark.parametrize("n", [1, 2, 255, 4099])
def test_ranks_by_a_comparator(on, rng, dtype, n):
    x = random_array(rng, n, dtype, 500).astype("i8").astype(dtype)
    less = "(int)(a / 10) > (int)(b / 10)"
    order = np.argsort(-by_ten(x).astype("i8"), kind="stable")
    k = (n + 1) // 2
    best, places = upsweep.top_k(x, k, less=less)
    assert np.array_equal(places, order[:k]) and np.array_equal(best, x[order[:k]])
    assert by_ten(upsweep.nth_element(x, k - 1, less=less)) == by_ten(x[order[k - 1]])
    assert upsweep.is_sorted(x[order], less=less) and (n < 255 or not upsweep.is_sorted(x[order][::-1].copy(), less=less))
    values = np.arange(n, dtype="f4")
    keys, moved = upsweep.sort_by_key(x, values, less=less)
    assert np.array_equal(keys, x[order]) and np.array_equal(moved, values[order])
    assert upsweep.argmin(x, less=less) == order[0]
    assert upsweep.argmax(x, less=less) == by_ten(x).argmin()
    cuts = np.array([0, 0, n // 3, n // 2, n], "u8")
    want = np.concatenate([x[a:b][np.argsort(-by_ten(x[a:b]).astype("i8"), kind="stable")] for a, b in zip(cuts[:-1], cuts[1:])])
    assert np.array_equal(upsweep.segmented_sort(x, cuts, less=less), want)


@pytest.mark.parametrize("n", [0, 1, 2, 255, 4099])
def test_neighbours_and_patterns_by_an_equality(on, rng, n):
    x = random_array(rng, n, "i4", 90)
    same = "a / 10 == b / 10"
    tens = by_ten(x)
    begins = np.ones(n, bool)
    begins[1:] = tens[1:] != tens[:-1]
    assert np.array_equal(upsweep.unique_consecutive(x, equal=same), x[begins])
    pairs = np.flatnonzero(tens[1:] == tens[:-1])
    assert upsweep.adjacent_find(x, equal=expression(same)) == (pairs[0] if len(pairs) else n)
    equal = np.flatnonzero(x[1:] == x[:-1])
    assert upsweep.adjacent_find(x) == (equal[0] if len(equal) else n)
    wanted = np.array([50, 77], "i4")
    among = np.flatnonzero(np.isin(tens, [5, 7]))
    assert upsweep.find_first_of(x, wanted, equal=same) == (among[0] if len(among) else n)
    exact = np.flatnonzero(np.isin(x, wanted))
    assert upsweep.find_first_of(x, wanted) == (exact[0] if len(exact) else n)
    y = x.copy()
    y[n * 2 // 3:] += 1
    differ, apart = np.flatnonzero(x != y), np.flatnonzero(tens != by_ten(y))
    assert upsweep.mismatch(x, y) == (differ[0] if len(differ) else n)
    assert upsweep.mismatch(x, y, equal=same) == (apart[0] if len(apart) else n)
    pattern = x[n // 2:n // 2 + 3]
    for text, of in ((None, x), (same, tens)):
        begin = [i for i in range(n - len(pattern) + 1) if np.array_equal(of[i:i + len(pattern)], of[n // 2:n // 2 + 3])]
        assert upsweep.search(x, pattern, equal=text) == begin[0]
    assert upsweep.search(x, x[:0]) == 0


def runs_of(keys, same):
    """Return the index of the run of each element. Adjacent elements with equal same(keys) are in one run."""
    by = same(keys)
    begins = np.ones(len(by), bool)
    begins[1:] = by[1:] != by[:-1]
    return begins


@pytest.mark.parametrize("keys, dtype", [("i4", "i4"), ("u1", "f8"), ("f4", "u8"), ("i2", "f4")])
@pytest.mark.parametrize("n", [0, 1, 2, 257, 20011])
def test_folds_by_key(on, rng, keys, dtype, n):
    """Reduce to the last value that is not zero, which does not commute. Also use built-in operators with an expression as equality."""
    k = np.repeat(random_array(rng, n, keys, 60), 3)[:n]
    x = random_array(rng, n, dtype, 4)
    last = expression("b != 0 ? b : a", identity=0)
    for equal, same in ((None, lambda v: v), ("(int)a / 10 == (int)b / 10", lambda v: v.astype("i8") // 10)):
        begins = runs_of(k, same)
        starts = np.flatnonzero(begins)
        running, ahead = np.empty_like(x), np.empty_like(x)
        at = np.array(0, dtype)
        for i in range(n):
            at = np.array(0, dtype) if begins[i] else at
            ahead[i] = at
            at = x[i] if x[i] != 0 else at
            running[i] = at
        ends = np.append(starts[1:], n)[:len(starts)] - 1
        first, folds = upsweep.reduce_by_key(k, x, last, equal=equal)
        assert first.dtype == keys and folds.dtype == dtype
        assert np.array_equal(first, k[starts]) and np.array_equal(folds, running[ends] if n else x)
        assert np.array_equal(upsweep.scan_by_key(k, x, last, equal=equal), running)
        out = np.full(n, 99, dtype)
        assert upsweep.scan_by_key(k, x, last, exclusive=True, equal=equal and expression(equal), out=out) is out
        assert np.array_equal(out, ahead)
        if keys != "u1" and keys != "i2":
            first, most = upsweep.reduce_by_key(k, x, "maximum", equal=equal)
            assert np.array_equal(first, k[starts]) and np.array_equal(most, np.maximum.reduceat(x, starts) if n else x)
            sums = np.concatenate([np.cumsum(x[a:b + 1]) for a, b in zip(starts, ends)]) if n else x
            assert np.array_equal(upsweep.scan_by_key(k, x, equal=equal), sums.astype(dtype))


@pytest.mark.parametrize("values, n, m", [("f4", 0, 0), ("i8", 0, 7), ("u1", 1, 1), ("i2", 255, 257), ("f4", 257, 1000), ("i8", 4099, 1000)])
@pytest.mark.parametrize("less", [None, "a / 10 < b / 10", "a > b"])
def test_sets_with_values(on, rng, values, n, m, less):
    """Values identify the origin of their keys: those of a are even, those of b odd."""
    same = (lambda k: k // 10) if less == "a / 10 < b / 10" else (lambda k: -k) if less else (lambda k: k)
    a, b = (x[np.argsort(same(x), kind="stable")] for x in (random_array(rng, count, "i4", 800) for count in (n, m)))
    row_a, row_b = (2 * np.arange(n)).astype(values), (2 * np.arange(m) + 1).astype(values)
    both, rows = np.concatenate([a, b]), np.concatenate([row_a, row_b])

    def nth_of_its_key(x):
        seen, out = {}, np.empty(len(x), "i8")
        for i, key in enumerate(same(x).tolist()):
            out[i] = seen[key] = seen.get(key, -1) + 1
        return out

    in_a, in_b = multiset(same(a)), multiset(same(b))
    shared_a = nth_of_its_key(a) < [in_b.get(k, 0) for k in same(a).tolist()]
    rest_b = nth_of_its_key(b) >= [in_a.get(k, 0) for k in same(b).tolist()]

    def expect(got, keep_a, keep_b):
        kept = np.concatenate([keep_a, keep_b]).astype(bool)
        keys, moved = both[kept], rows[kept]
        order = np.argsort(same(keys), kind="stable")
        assert got[0].dtype == "i4" and got[1].dtype == values
        assert np.array_equal(got[0], keys[order]) and np.array_equal(got[1], moved[order])

    yes_a, yes_b, no_b = np.ones(n), np.ones(m), np.zeros(m)
    how = dict(less=less)
    expect(upsweep.merge_by_key(a, row_a, b, row_b, **how), yes_a, yes_b)
    expect(upsweep.set_union_by_key(a, row_a, b, row_b, **how), yes_a, rest_b)
    expect(upsweep.set_intersection_by_key(a, row_a, b, **how), shared_a, no_b)
    expect(upsweep.set_difference_by_key(a, row_a, b, **how), ~shared_a, no_b)
    expect(upsweep.set_symmetric_difference_by_key(a, row_a, b, row_b, **how), ~shared_a, rest_b)
    if less == "a > b":
        expect(upsweep.set_union_by_key(a, row_a, b, row_b, descending=True), yes_a, rest_b)


def test_rows_follow_their_keys(on):
    a, b = np.array([1, 2, 2, 5], "i4"), np.array([2, 3], "i4")
    rows = np.arange(12, dtype="f4").reshape(4, 3)
    more = -np.arange(6, dtype="f4").reshape(2, 3)
    keys, moved = upsweep.merge_by_key(a, rows, b, more)
    assert keys.tolist() == [1, 2, 2, 2, 3, 5] and np.array_equal(moved, np.concatenate([rows[:3], more, rows[3:]]))
    pairs = np.arange(8, dtype="i2").reshape(4, 2)
    keys, moved = upsweep.set_difference_by_key(a, pairs, b, less="a < b")
    assert keys.tolist() == [1, 2, 5] and np.array_equal(moved, pairs[[0, 2, 3]])
    with pytest.raises(upsweep.Unsupported, match="values of 12 bytes with less="):
        upsweep.set_difference_by_key(a, rows, b, less="a < b")
    with pytest.raises(upsweep.BadArgument, match="one type and width"):
        upsweep.set_union_by_key(a, rows, b, more[:, :2].copy())
    with pytest.raises(upsweep.BadArgument, match="for each key"):
        upsweep.set_union_by_key(a, rows[:3], b, more)
    with pytest.raises(upsweep.BadArgument, match="of one type"):
        upsweep.set_union_by_key(a, rows, b.astype("f8"), more)


def test_wrong_expressions_by_key_are_told(on):
    x = np.arange(5, dtype="i4")
    with pytest.raises(upsweep.BadArgument, match="no name 'y'"):
        upsweep.reduce_by_key(x, x, equal="a == y")
    with pytest.raises(upsweep.BadArgument, match="no identity"):
        upsweep.reduce_by_key(x, x, expression("a + b"))
    with pytest.raises(upsweep.BadArgument, match="init=3"):
        upsweep.scan_by_key(x, x, LAST, init=3)
    with pytest.raises(upsweep.Unsupported, match="keys of f16"):
        upsweep.reduce_by_key(x.astype("f2"), x, expression("a + b", identity=0), equal="a == b")
    with pytest.raises(upsweep.BadArgument, match="swap the sides of the comparator"):
        upsweep.set_difference_by_key(x, x, x, less="a < b", descending=True)


def test_errors_of_comparators_have_a_position(on):
    x = np.arange(5, dtype="i4")
    for call in upsweep.set_union, upsweep.merge, upsweep.includes:
        with pytest.raises(upsweep.BadArgument, match="character 5"):
            call(x, x, less="a < ")
    with pytest.raises(upsweep.BadArgument, match="no name 'y'"):
        upsweep.unique_consecutive(x, equal="a == y")
    with pytest.raises(upsweep.BadArgument, match="swap the sides of the comparator"):
        upsweep.set_difference(x, x, less="a < b", descending=True)
    with pytest.raises(upsweep.BadArgument, match="one type"):
        upsweep.search(x, x.astype("f8"))
    with pytest.raises(upsweep.BadArgument, match="arrays of one size"):
        upsweep.mismatch(x, x[1:])
    with pytest.raises(upsweep.Unsupported, match="1, 2, 4 or 8 bytes"):
        upsweep.sort_by_key(x, np.zeros((5, 3)), less="a < b")
    with pytest.raises(upsweep.Unsupported, match="axis=None"):
        upsweep.argmin(x.reshape(1, 5), 0, less="a < b")


def test_arguments_that_exclude_each_other():
    x = np.zeros((2, 3))
    with pytest.raises(upsweep.BadArgument, match="swap the sides of the comparator"):
        upsweep.sort(x, less="a < b", descending=True)
    with pytest.raises(upsweep.BadArgument, match="no identity"):
        upsweep.reduce(x, expression("a + b"), axis=0)
    with pytest.raises(upsweep.BadArgument, match="axis"):
        upsweep.reduce(x, MOST, axis=2)


def test_names_stand_for_values(on):
    x = np.arange(-20, 30, dtype="i4")
    for t in (-3, 0, 7, np.int32(7), np.int8(-7)):
        assert upsweep.count_if(x, expression("x > t", t=t)) == np.count_nonzero(x > int(t))
        assert np.array_equal(upsweep.transform(expression("x * s + t", s=3, t=t), x), x * 3 + int(t))
    assert np.array_equal(upsweep.transform(expression("x >> n", n=2), x), x >> 2)
    assert np.array_equal(upsweep.transform(expression("(ulong)x + big", big=2**63), x.astype("u8")), x.astype("u8") + np.uint64(2**63))
    f = x.astype("f4")
    assert np.array_equal(upsweep.transform(expression("x / d", d=np.float32(0.3)), f), f / np.float32(0.3))
    assert np.array_equal(upsweep.transform(expression("x < t ? t : x", t=-np.inf), x.astype("f8")), x.astype("f8"))
    copy = pickle.loads(pickle.dumps(expression("a > b ? a : b + zero", identity=-9, zero=0)))
    assert repr(copy) == "upsweep.expression('a > b ? a : b + zero', identity=-9, zero=0)" and upsweep.reduce(x, copy) == 29


def test_values_that_cannot_be_named():
    for values, piece in (({"t": "1"}, "is no number"), ({"t": np.complex64(1)}, "is no number"), ({"t": 2**64}, "64 bits"), ({"t": None}, "is no number"),
                          ({"t": 1, "u": 2}, "does not use it"), ({"t": 1, "sqrt": 2}, "meaning"), ({"t": [1]}, "is no number")):
        with pytest.raises(upsweep.BadArgument, match=piece):
            expression("x + t", **values)
    with pytest.raises(upsweep.BadArgument, match="no name 'u'"):
        expression("x + u1 + u", u1=1)
    for name in ("source", "self"):  # are names as any other
        assert upsweep.count_if(np.arange(3), expression(f"x > {name}", **{name: 1})) == 1
    assert upsweep.count_if(np.arange(3, dtype="f4"), expression("x > t", t=np.float16(0.5))) == 2
