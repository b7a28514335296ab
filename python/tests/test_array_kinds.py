"""Arrays that people hold: dates, the other byte order, pandas, objects, masked arrays, no axes and axes of no elements."""
import numpy as np
import pytest
from conftest import opencl

import upsweep

DEVICES = ["cpu"] + ([opencl()] if opencl() else [])


def times(rng, kind, shape, nats=True):
    x = rng.integers(-40, 40, shape).astype(kind)
    if nats and x.size:
        x.reshape(-1)[rng.integers(0, x.size, max(x.size // 5, 1))] = "NaT"
    return x


def same(got, want):
    got_array, want_array = np.asarray(got), np.asarray(want)
    assert type(got) is type(want), (type(got), type(want))
    assert got_array.dtype == want_array.dtype and got_array.shape == want_array.shape, (got, want)
    assert np.array_equal(got_array.view("i8") if got_array.dtype.kind in "mM" else got_array,
                          want_array.view("i8") if want_array.dtype.kind in "mM" else want_array), (got, want)


def both(function, *args, **more):
    outcomes = []
    for module in (np, upsweep):
        try:
            outcomes.append(getattr(module, function)(*args, **more))
        except (ValueError, TypeError) as wrong:
            outcomes.append(wrong)
    want, got = outcomes
    if isinstance(want, Exception):
        assert isinstance(got, upsweep.Error), (function, got, want)
    else:
        for one, other in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
            same(one, other)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", ["M8[D]", "M8[ns]", "m8[s]", ">M8[D]"])
def test_times(rng, kind, device):
    with upsweep.device(device):
        for shape in ((1,), (2,), (7,), (101,), (4, 6), (3, 0, 2), (3, 4, 5)):
            for nats in (False, True):
                x = times(rng, kind, shape, nats)
                native = x.astype(x.dtype.newbyteorder("="))
                for view, plain in ((x, native), (x[::-1], native[::-1]), (x.T, native.T)):
                    for axis in (None, *range(-view.ndim, view.ndim)):
                        for name in ("sort", "argsort", "min", "max", "argmin", "argmax"):
                            more = {"kind": "stable"} if name == "argsort" else {}
                            if view.size and (axis is None or view.shape[axis]) or "sort" in name:
                                got, want = getattr(upsweep, name)(view, axis=axis, **more), getattr(np, name)(plain, axis=axis, **more)
                                same(got, want)
                if x.size == 0:
                    continue
                for one, other in zip(upsweep.unique(native, True, False, True), np.unique(native, True, False, True)):
                    same(one, other)
                flat = native.reshape(-1)
                for name, more in (("diff", ()), ("take", ([0, -1],)), ("flip", ()), ("roll", (2,)), ("count_nonzero", ()), ("any", ()), ("all", ()),
                                   ("flatnonzero", ()), ("nonzero", ())):
                    both(name, flat, *more)
                both("isin", flat, flat[:3])
                both("unique", flat, return_inverse=True)
                both("unique", flat, True, True, True, equal_nan=False)
                both("clip", flat, flat.min(), flat.max())
                both("compress", [True, False, True], flat) if flat.size > 2 else None
                both("searchsorted", np.sort(flat), flat)
                both("searchsorted", np.sort(flat), flat[0], "right")
                both("lexsort", (flat, flat[::-1].copy()))
                if not np.isnat(flat).all():
                    both("nanmin", flat)
                    both("nanmax", flat, keepdims=True)


def test_times_of_two_units_and_outputs(rng):
    days, hours = np.sort(times(rng, "M8[D]", 30)), times(rng, "M8[h]", 50)
    both("searchsorted", days, hours)
    both("isin", hours, days)
    edges = np.array(["1969-12-01", "1970-01-01", "1970-01-20"], "M8[s]")
    for got, want in zip(upsweep.histogram(hours, edges), np.histogram(hours, edges)):
        same(got, want)
    out = np.zeros(60, "M8[D]")[::2]
    assert upsweep.sort(days[::-1], out=out) is out and np.array_equal(out.view("i8"), days.view("i8"))
    low = np.zeros((), "M8[s]")
    assert upsweep.min(days[:3], out=low) is low and low == days[0]
    same(upsweep.max(days[:9], initial=np.datetime64("2030-01-01")), np.max(days[:9], initial=np.datetime64("2030-01-01")))
    down = upsweep.sort(days, descending=True)
    numbers = ~np.isnat(down)
    assert np.isnat(down[numbers.sum():]).all() and (np.diff(down[numbers]) <= np.timedelta64(0)).all()
    assert np.array_equal(down.view("i8"), days[upsweep.argsort(days, descending=True)].view("i8"))


@pytest.mark.parametrize("device", DEVICES)
def test_times_that_are_moved(rng, device):
    x = times(rng, "M8[D]", 40)
    with upsweep.device(device):
        same(upsweep.gather(x, [3, 1, 39]), x[[3, 1, 39]])
        same(upsweep.select(x, ~np.isnat(x)), x[~np.isnat(x)])
        keys, values = upsweep.sort_by_key(np.arange(40)[::-1].copy(), x)
        same(values, x[::-1].copy())
        same(upsweep.run_length_decode(x[:3], [1, 0, 2]), np.repeat(x[:3], [1, 0, 2]))


@pytest.mark.parametrize("call", ["sum", "cumsum", "mean", "median", "quantile", "prod", "var", "top_k", "merge", "nth_element", "histogram", "reduce",
                                  "convolve", "bincount"])
def test_times_that_are_refused(call):
    x = np.array(["2020-01-01", "2021-01-01"], "M8[D]")
    with pytest.raises(upsweep.Error, match="datetime64") as raised:
        getattr(upsweep, call)(x, *{"quantile": (0.5,), "top_k": (1,), "merge": (x,), "nth_element": (0,), "convolve": (x,)}.get(call, ()))
    assert "\n" not in str(raised.value)
    with pytest.raises(upsweep.Unsupported, match="times of one kind"):
        upsweep.searchsorted(x, [1, 2])


BYTE_ORDER = ["sum", "prod", "min", "max", "cumsum", "cumprod", "sort", "argsort", "unique", "argmin", "argmax", "mean", "var", "median", "diff", "flip",
              "any", "all", "count_nonzero", "nonzero", "nansum", "nanmin", "histogram"]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "i4", "u2", "i8"])
def test_the_other_byte_order(rng, kind, device):
    x = (rng.normal(size=101) * 50).astype(kind)
    x = np.abs(x) if kind[0] == "u" else x
    other = x.astype(x.dtype.newbyteorder())
    with upsweep.device(device):
        for name in BYTE_ORDER:
            got, want = getattr(upsweep, name)(other, **({"range": (-50, 50)} if name == "histogram" else {})), getattr(upsweep, name)(
                x, **({"range": (-50, 50)} if name == "histogram" else {}))
            for one, expected in zip(got, want) if isinstance(want, tuple) else [(got, want)]:
                assert np.asarray(one).dtype == np.asarray(expected).dtype and np.array_equal(one, expected, equal_nan=True), name
        assert np.array_equal(upsweep.searchsorted(np.sort(other), other), np.searchsorted(np.sort(x), x))
        assert np.array_equal(upsweep.select(other, "x > 3"), x[x > 3]) and np.array_equal(upsweep.gather(other, [5, 1]), x[[5, 1]])
        assert np.array_equal(upsweep.sort_by_key(other, other)[1], np.sort(x)) and np.array_equal(upsweep.take(other, [5, 1]), x[[5, 1]])
        assert np.array_equal(upsweep.sort(np.stack([other, other])[:, ::2], axis=0), np.sort(np.stack([x, x])[:, ::2], axis=0))


def test_pandas_values_in_and_ndarrays_out(rng):
    pandas = pytest.importorskip("pandas")
    x = rng.normal(size=31)
    x[3] = np.nan
    labels = [f"row {i}" for i in range(31)]
    dates = pandas.date_range("2020-01-01", periods=31)
    for given, plain in ((pandas.Series(x, labels), x), (pandas.Index(np.arange(31)[::-1]), np.arange(31)[::-1]), (pandas.RangeIndex(31), np.arange(31)),
                         (pandas.Series(x > 0, labels), x > 0), (pandas.Series(dates), dates.values), (dates, dates.values),
                         (pandas.Series(x, labels)[::2], x[::2]), (pandas.Series(x.astype("f4"), dates), x.astype("f4"))):
        for name, more in (("sort", ()), ("argsort", ()), ("unique", ()), ("min", ()), ("max", ()), ("argmin", ()), ("argmax", ()), ("sum", ()), ("cumsum", ()),
                           ("mean", ()), ("median", ()), ("diff", ()), ("any", ()), ("nonzero", ()), ("take", ([1, 2],)), ("flip", ()), ("histogram", (5, (-9, 9))),
                           ("var", ()), ("isin", (plain[:3],)), ("nanmax", ()), ("clip", (plain[0], plain[0])), ("quantile", (0.5,)), ("digitize", ([0.0, 1.0],))):
            try:
                want = getattr(upsweep, name)(plain, *more)
            except upsweep.Error:
                with pytest.raises(upsweep.Error):
                    getattr(upsweep, name)(given, *more)
                continue
            got = getattr(upsweep, name)(given, *more)
            for one, expected in zip(got, want) if isinstance(want, tuple) else [(got, want)]:
                assert type(one) is type(expected) and np.array_equal(one, expected, equal_nan=one.dtype.kind in "fmM"), name
        assert type(upsweep.searchsorted(np.sort(plain), given)) is np.ndarray
        assert np.array_equal(upsweep.gather(given, [3, 1]), plain[[3, 1]], equal_nan=plain.dtype.kind == "f")
    for refused in (pandas.Series(["b", "a"]), pandas.Series([1, None], dtype="Int64"), pandas.Series(dates.tz_localize("UTC")), pandas.Index(["b", "a"])):
        for call in (upsweep.sort, upsweep.sum, upsweep.unique, upsweep.nonzero, lambda x: upsweep.gather(x, [0]), lambda x: upsweep.take(x, [0])):
            with pytest.raises(upsweep.Unsupported, match="elements of object") as raised:
                call(refused)
            assert "\n" not in str(raised.value)


OBJECTS = {
    "gather": lambda x: upsweep.gather(x, [0, 1]), "select": lambda x: upsweep.select(x, np.array([True, False])),
    "sort_by_key": lambda x: upsweep.sort_by_key(np.array([2, 1]), x), "stable_partition": lambda x: upsweep.stable_partition(x, np.array([True, False])),
    "scatter": lambda x: upsweep.scatter(x, [0, 1], x.copy()), "run_length_decode": lambda x: upsweep.run_length_decode(x, [1, 2]), "sort": upsweep.sort,
    "sum": upsweep.sum, "cumsum": upsweep.cumsum, "unique": upsweep.unique, "min": upsweep.min, "argmax": upsweep.argmax, "mean": upsweep.mean,
    "merge_by_key": lambda x: upsweep.merge_by_key(np.array([1, 2]), x, np.array([1, 2]), x), "take": lambda x: upsweep.take(x, [0]),
    "flip": upsweep.flip, "histogram": upsweep.histogram, "bincount": upsweep.bincount, "searchsorted": lambda x: upsweep.searchsorted(x, x),
    "segmented_sort": lambda x: upsweep.segmented_sort(x, [0, 2]), "unique_consecutive": upsweep.unique_consecutive, "any": upsweep.any,
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_and_masked_arrays_are_refused(name):
    with pytest.raises(upsweep.Unsupported, match="object") as raised:
        OBJECTS[name](np.array([3, None], object))
    assert "\n" not in str(raised.value)
    with pytest.raises(upsweep.Unsupported, match="mask") as raised:
        OBJECTS[name](np.ma.masked_greater(np.array([3, 9]), 5))
    assert "\n" not in str(raised.value)


def test_structures_with_objects_are_refused():
    rows = np.zeros(2, [("a", "i4"), ("b", object)])
    with pytest.raises(upsweep.Unsupported, match="Python objects"):
        upsweep.sort_by_key(np.array([2, 1]), rows)
    with pytest.raises(upsweep.Unsupported, match="masked array"):
        upsweep.sum(np.arange(3), where=np.ma.masked_greater(np.array([1, 1, 9]), 5))
    with pytest.raises(upsweep.Unsupported, match="masked array"):
        upsweep.convolve(np.ones((3, 3), "f4"), np.ma.masked_greater(np.ones((2, 2)), 5))


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f2", "f4", "f8", "?"])
def test_no_axes_and_no_elements(dtype):
    one = np.array(1, dtype)
    for name in ("sum", "prod", "min", "max", "argmin", "argmax", "mean", "median", "cumsum", "cumprod", "any", "all", "var", "nansum", "flatnonzero", "unique",
                 "count_nonzero", "diff", "sort", "argsort", "flip"):
        both(name, one)
    for shape in ((0,), (0, 3), (3, 0), (2, 0, 3)):
        x = np.zeros(shape, dtype)
        for axis in (None, *range(-len(shape), len(shape))):
            for name in ("sum", "prod", "min", "max", "argmin", "argmax", "cumsum", "cumprod", "any", "all", "sort", "argsort", "flip", "count_nonzero"):
                both(name, x, axis=axis)
        both("unique", x)
        both("flatnonzero", x)
        both("diff", x)
        both("isin", x, [1])
        both("searchsorted", np.zeros(0, dtype), x)
        both("histogram", x)
