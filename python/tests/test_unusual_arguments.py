"""Unusual arguments: the call has the correct result, or raises an exception with one sentence."""
import copy
import os
import pickle

import numpy as np
import pytest

import upsweep

X = np.random.default_rng(1).integers(-50, 50, (6, 7, 5)).astype("i4")
LAID_OUT = {"C": X, "Fortran": np.asfortranarray(X), "turned": X.T, "back": X[::-1, :, ::-1], "steps": X[::2, 1::3], "broadcast": np.broadcast_to(X[0], (4, 7, 5)),
            "unaligned": np.frombuffer(b"\0" + X.tobytes(), "i4", offset=1).reshape(X.shape), "one": X[:1, :1, :1], "none": X[:0], "no rows": X[:, :0]}


@pytest.mark.parametrize("how", LAID_OUT)
def test_however_an_array_lies(how):
    x = LAID_OUT[how]
    for axis in (None, *range(-x.ndim, x.ndim)):
        for name, more in {"sum": {}, "prod": {}, "cumsum": {}, "cumprod": {}, "sort": {}, "argsort": {"kind": "stable"}}.items():
            assert np.array_equal(getattr(upsweep, name)(x, axis=axis), getattr(np, name)(x, axis=axis, **more)), name
        if x.size if axis is None else x.shape[axis]:
            for name in ("min", "max", "argmin", "argmax"):
                got, want = getattr(upsweep, name)(x, axis=axis), getattr(np, name)(x, axis=axis)
                assert np.shape(got) == np.shape(want) and np.array_equal(got, want), name
    assert np.array_equal(upsweep.unique(x), np.unique(x)) and np.array_equal(upsweep.select(x, "x > 3"), x[x > 3])


def test_bools_where_they_are_ordered(rng):
    x = rng.random(1003) > 0.9
    order = np.argsort(x, kind="stable")
    assert upsweep.argmax(x) == np.argmax(x) and upsweep.argmin(x) == np.argmin(x) and upsweep.nth_element(x, 1002)
    assert np.array_equal(upsweep.top_k(x, 5)[0], np.sort(x)[::-1][:5]) and upsweep.is_sorted(x[order]) and not upsweep.is_sorted(x)
    assert np.array_equal(upsweep.merge(x[order], x[order]), np.sort(np.concatenate([x, x])))
    assert np.array_equal(upsweep.histogram(x)[0], np.histogram(x.view("u1"))[0])
    values, lengths = upsweep.run_length_encode(x)
    assert values.dtype == bool and np.array_equal(np.repeat(values, lengths), x)
    assert np.array_equal(upsweep.set_union(np.array([False]), np.array([True])), [False, True])


def test_copies_have_handles_of_their_own():
    x = np.arange(5)
    added = upsweep.expression("a + b", 0)
    for again in (copy.copy(added), copy.deepcopy(added), pickle.loads(pickle.dumps(added))):
        assert again.address != added.address and again.source == added.source and upsweep.reduce(x, again) == 10
    place = upsweep.device("cpu:2")
    for again in (copy.copy(place), copy.deepcopy(place), pickle.loads(pickle.dumps(place))):
        assert again.name == place.name
    with pytest.raises(TypeError, match="cannot leave its process"):
        copy.copy(place.context)
    with place:
        assert upsweep.sum(x) == 10
    kept = pickle.loads(pickle.dumps(upsweep.counted(x, 3)))
    assert upsweep.sum(kept) == 3
    assert upsweep.reduce(x, added) == 10


REFUSED = {
    "k is 2.5; give an integer": lambda x: upsweep.top_k(x, 2.5),
    "k is '3'; give an integer": lambda x: upsweep.nth_element(x, "3"),
    "the number of bins is 2.5": lambda x: upsweep.histogram(x, 2.5),
    "unknown rule 'many'": lambda x: upsweep.histogram(x, "many"),
    r"the range is \(5,\)": lambda x: upsweep.histogram(x, 3, (5,)),
    "an element is NaN": lambda x: upsweep.histogram(np.append(x, np.float32("nan"))),
    "minlength is -1": lambda x: upsweep.bincount(np.array([1, 2]), minlength=-1),
    "division by zero": lambda x: upsweep.select(x, "x > 1/0"),
    "a power above every element": lambda x: upsweep.select(x, "x > 9**9**9"),
    "'~x > 1' of elements of float32": lambda x: upsweep.select(x, "~x > 1"),
    "'x > 1' of elements of .*'a'": lambda x: upsweep.select(np.zeros(4, [("a", "i4"), ("b", "f4")]), "x > 1"),
    "sort: None is not an array": lambda x: upsweep.sort(None),
    "sum: {1, 2} is not an array": lambda x: upsweep.sum({1, 2}),
    "sort: b'abc' is not an array": lambda x: upsweep.sort(b"abc"),
    "max: out is not an array": lambda x: upsweep.max(np.arange(3, dtype="i2"), out=[0]),
    "scatter: out is not an array": lambda x: upsweep.scatter(x[:2], [0, 1], [0, 0]),
    "'3' cannot be converted to float32": lambda x: upsweep.count_if(x, ">", "3"),
    "1j cannot be converted to float32": lambda x: upsweep.reduce(x, init=1j),
    "to 3; give": lambda x: upsweep.image.resize(x.reshape(10, 10), 3),
    r"to \(-1, 3\); give": lambda x: upsweep.image.resize(x.reshape(10, 10), (-1, 3)),
    "the radius is 1.5": lambda x: upsweep.image.box_median(x.reshape(10, 10), 1.5),
    "the radius is 'a'": lambda x: upsweep.box_filter(x.reshape(10, 10), "a"),
    "the lengths add up to more": lambda x: upsweep.run_length_decode(np.array([1, 2, 3]), np.array([2**63 - 1, 2**63 - 1, 5])),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_refused_in_one_sentence(sentence):
    with pytest.raises(upsweep.Error, match=sentence) as said:
        REFUSED[sentence](np.arange(100, dtype="f4"))
    assert "\n" not in str(said.value)


def test_an_empty_list_has_no_type():
    assert upsweep.gather(np.arange(5), []).size == 0 and upsweep.sum([]) == 0
    assert upsweep.reduce(np.arange(3.0), init=2**70) == 2.0**70 + 3


def test_pytorchs_tensors_that_are_more_than_their_elements():
    torch = pytest.importorskip("torch")
    x = torch.arange(5.0)
    with_gradient = x.clone().requires_grad_()
    for tensor, sentence in ((with_gradient, "requires a gradient"), (torch.eye(3).to_sparse(), "to_dense"), (x.to(torch.bfloat16), "bfloat16"),
                             (torch.imag(torch.conj(torch.tensor([1 + 2j, 3 + 4j]))), "resolve_neg")):
        with pytest.raises(upsweep.Unsupported, match=sentence):
            upsweep.sum(tensor)
    with pytest.raises(upsweep.Unsupported, match="requires a gradient"):
        upsweep.sort(x, out=with_gradient)
    with torch.no_grad():
        assert upsweep.sum(with_gradient) == 10
    assert upsweep.sum(with_gradient.detach()) == 10

    class Mine(torch.Tensor):
        pass
    assert isinstance(upsweep.sort(x.as_subclass(Mine)), torch.Tensor)


def test_pandas():
    pandas = pytest.importorskip("pandas")
    s = pandas.Series([3, 1, 2], index=list("abc"))
    assert upsweep.sum(s) == 6 and list(upsweep.sort(s)) == [1, 2, 3] and list(upsweep.select(s, "x > 1")) == [3, 2] == list(upsweep.select(s, s > 1))
    assert list(upsweep.sum(pandas.DataFrame({"a": [1, 2], "b": [3, 4]}), axis=0)) == [3, 7]
    with pytest.raises(upsweep.Unsupported, match="object"):
        upsweep.sort(pandas.Series(["b", "a"]))


def test_a_strictly_typed_program(tmp_path):
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    program.write_text("""
import numpy as np
import upsweep

x = np.zeros(5, np.float32)
with upsweep.device("cpu") as place:
    kept: upsweep.counted = upsweep.select(x, "x > 0", count="device")
    place.synchronize()
n: int = len(kept)
total = upsweep.reduce(x, upsweep.expression("a + b", 0), axis=0)
energy: float = upsweep.nbody.Simulation(x, x, x, x, x, x, x, dt=0.1).step(3).measure().energy
names: list[str] = upsweep.Lexer([("word", "[a-z]+")]).kinds
upsweep.sort(x, axis="last")
""")
    with pytest.MonkeyPatch.context() as patched:
        home = os.path.dirname(os.path.dirname(upsweep.__file__))
        if "-packages" not in home:  # mypy finds packages there without MYPYPATH, and rejects it
            patched.setenv("MYPYPATH", home)
        said, _, status = api.run(["--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path / "cache"), str(program)])
    assert status == 1 and said.count("error:") == 1 and 'Argument "axis" to "sort"' in said, said
