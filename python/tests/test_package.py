"""The package: its names, its stubs, and its example."""
import ast
import inspect
import pathlib
import runpy

import pytest

import upsweep

HERE = pathlib.Path(__file__).resolve().parent


def test_stubs_are_of_the_functions_that_there_are():
    tree = ast.parse(pathlib.Path(upsweep.__file__).with_name("__init__.pyi").read_text())
    stubs = {node.name: node.args for node in tree.body if isinstance(node, ast.FunctionDef)}
    functions = {name for name in upsweep.__all__ if inspect.isfunction(getattr(upsweep, name))}
    assert set(stubs) == functions
    for name, arguments in stubs.items():
        real = inspect.signature(getattr(upsweep, name)).parameters.values()
        assert [a.arg for a in arguments.args] == [p.name for p in real if p.kind == p.POSITIONAL_OR_KEYWORD], name
        assert [a.arg for a in arguments.kwonlyargs] == [p.name for p in real if p.kind == p.KEYWORD_ONLY], name


def test_every_name_is_in_the_readme():
    readme = (HERE.parent / "README.md").read_text()
    for name in upsweep.__all__:
        if not (inspect.isclass(getattr(upsweep, name)) and issubclass(getattr(upsweep, name), Exception)):
            assert f"`{name}" in readme, name


@pytest.mark.parametrize("readme", [HERE.parent / "README.md", HERE.parents[1] / "README.md"])
def test_the_readmes_examples(readme):
    blocks, code = [], None
    for line in readme.read_text().splitlines():
        if line == "```python":
            code = []
        elif line == "```" and code is not None:
            blocks.append("\n".join(code))
            code = None
        elif code is not None:
            code.append(line)
    assert blocks
    for block in blocks:
        exec(compile(block, str(readme), "exec"), {})


def test_the_example(capsys):
    runpy.run_path(str(HERE.parents[1] / "examples/day_of_sales.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "the same as NumPy" in said and "WRONG" not in said


def test_an_extension_of_the_limited_api():
    assert ".abi3." in upsweep._calls.__file__


@pytest.mark.parametrize("name", ["sum", "min", "max", "filter"])
def test_names_of_pythons_own_stay_python_s(name):
    """Functions of these names hide Python's built-ins. No module uses one of them in place of the other."""
    import builtins
    for module in pathlib.Path(upsweep.__file__).parent.glob("*.py"):
        tree = ast.parse(module.read_text())
        own = any(isinstance(node, ast.FunctionDef) and node.name == name for node in tree.body)
        used = any(isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name for node in ast.walk(tree))
        assert not (own and used), f"{module.name} defines {name} and calls {builtins.__name__}.{name} under that name"
