"""Every row of the table of numpy_contract.py, executed with NumPy and with Upsweep."""
import doctest
import inspect
import pathlib
import warnings

import numpy as np
import numpy_contract
import pytest

import upsweep

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/numpy.md"
ROWS = numpy_contract.rows()


def named(row):
    return f"{row.function}: {row.keyword}"


def assert_equal(got, want):
    """Compare type, element type, shape and values. Floats may differ in their last bits."""
    if isinstance(want, tuple):
        assert isinstance(got, tuple) and len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            assert_equal(one, other)
        return
    assert type(got) is type(want), (got, want)
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape, (got, want)
    if want.dtype.kind == "f":
        near = 1e-5 if want.dtype == np.float32 else 1e-12
        assert np.allclose(got, want, rtol=near, atol=near, equal_nan=True), (got, want)
    elif want.dtype.kind in "mM":
        assert np.array_equal(got.view("i8"), want.view("i8")), (got, want)
    else:
        assert np.array_equal(got, want), (got, want)


def evaluate(expression, module):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return numpy_contract.evaluate(expression, module)


@pytest.mark.parametrize("row", [row for row in ROWS if not row.difference], ids=named)
def test_same(row):
    want, got = evaluate(row.call, np), evaluate(row.call, upsweep)
    if isinstance(want, Exception):
        assert isinstance(got, upsweep.Error) and str(got), (got, want)
        if isinstance(want, getattr(np, "exceptions", np).AxisError):
            assert isinstance(got, type(want))
    else:
        assert_equal(got, want)


@pytest.mark.parametrize("row", [row for row in ROWS if row.difference], ids=named)
def test_differs(row):
    got = evaluate(row.call, upsweep)
    if row.expected.isidentifier():
        raised = TypeError if row.expected == "TypeError" else getattr(upsweep, row.expected)
        assert isinstance(got, raised), got
    else:
        assert_equal(got, evaluate(row.expected, np))


def test_no_function_and_keyword_is_twice():
    keys = [(row.function, row.keyword) for row in ROWS]
    assert sorted(set(keys)) == sorted(keys)


def test_every_common_function_has_a_row():
    table = {row.function for row in ROWS}
    common = {name for name in upsweep.__all__ if inspect.isfunction(getattr(upsweep, name)) and callable(getattr(np, name, None))}
    assert common - table == set()


def test_every_common_keyword_is_in_the_table():
    """Each parameter that ours and NumPy's have is named by a row, or used by the call of one."""
    for function in {row.function for row in ROWS if hasattr(np, row.function) and hasattr(upsweep, row.function)}:
        try:
            theirs = inspect.signature(getattr(np, function)).parameters
        except ValueError:  # written in C, without a signature
            continue
        words = " ".join(f"{row.keyword} {row.call}" for row in ROWS if row.function == function)
        ours = list(inspect.signature(getattr(upsweep, function)).parameters)
        for name in ours:
            if name in theirs and name != ours[0]:
                assert name in words, f"{function}: no row of {name}"


def test_first_names_are_numpys():
    for function in {row.function for row in ROWS if hasattr(np, row.function) and hasattr(upsweep, row.function)} - {"select", "resize"}:
        try:
            theirs = list(inspect.signature(getattr(np, function)).parameters)
        except ValueError:
            continue
        assert next(iter(inspect.signature(getattr(upsweep, function)).parameters)) == theirs[0], function


@pytest.mark.skipif(not PAGE.exists(), reason="the tests run outside the tree")
def test_the_page_is_up_to_date():
    assert PAGE.read_text() == numpy_contract.page(), "run numpy_contract.py docs/numpy.md"


MODULES = {"upsweep": upsweep, "upsweep.image": upsweep.image, "upsweep.signal": upsweep.signal}


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_the_docstrings(module):
    module = MODULES[module]
    found = 0
    for name in module.__all__:
        for test in doctest.DocTestFinder(recurse=False).find(getattr(module, name), name, globs={"upsweep": upsweep}):
            result = doctest.DocTestRunner(verbose=False).run(test)
            assert result.failed == 0, name
            found += bool(test.examples)
    assert found > 5


def test_docstrings_describe_parameters_and_results():
    """Functions of the table have a docstring in NumPy's form: an example, and parameters where another function does not have the same."""
    for function in {row.function for row in ROWS if hasattr(upsweep, row.function)} - {"select"}:
        text = inspect.getdoc(getattr(upsweep, function))
        assert "Examples\n--------" in text, function
        assert "Parameters\n----------" in text or "parameters are those of" in text or "parameters it has" in text or "parameters it" in text, function
