"""make_calls.py HEADER: the C source of upsweep._calls, which has every function that upsweep.h declares.

Numbers are converted and checked for their ranges. A pointer is an address, None, or an object with a buffer, which a pointer to what
is not const may write. A function's status raises; its other results come through the pointers. The interpreter's lock is let go
while the library works, and a signal's handler that raises ends work of the CPU's.
"""
import re
import sys

# How a parameter of each type is taken: the macro of calls.h that converts argument i.
INTEGERS = {"int": "TAKE_INT", "char": "TAKE_INT", "uint32_t": "TAKE_U32", "uint64_t": "TAKE_U64", "size_t": "TAKE_U64",
            "float": "TAKE_DOUBLE", "double": "TAKE_DOUBLE"}


def functions(header):
    """(result, name, [(type, name)]) of each declaration."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    enums = set(re.findall(r"typedef int (\w+);", text))
    for result, name, parameters in re.findall(r"UPSWEEP_API\s+([^;()]+?)\b(upsweep_\w+)\(([^)]*)\);", text):
        taken = []
        for parameter in parameters.split(","):
            parameter = " ".join(parameter.split())
            if parameter == "void":
                continue
            if re.fullmatch(r"\w+", parameter):  # a type alone
                parameter += " it"
            kind, of, count = re.fullmatch(r"(.*?)(\w+)((?:\[\d+\])?)", parameter).groups()
            kind = kind.strip() + ("*" if count else "")
            taken.append(("int" if kind in enums else kind, of))
        yield " ".join(result.split()), name, taken


def wrapper(result, name, parameters):
    short = name.removeprefix("upsweep_")
    lines = [f"static PyObject* call_{short}(PyObject* self, PyObject* const* given, Py_ssize_t count) {{", "  (void)self, (void)given;",
             f'  if (count != {len(parameters)}) return wrong_count("{short}", {len(parameters)}, count);']
    pointers = []
    for i, (kind, _) in enumerate(parameters):
        if "*" in kind:
            writes = int(not kind.startswith("const"))
            lines += [f"  Py_buffer held_{i};", f"  held_{i}.obj = NULL;", f"  void* a{i};"]
            pointers.append((i, writes))
        else:
            lines.append(f"  {kind} a{i};")
    for i, (kind, _) in enumerate(parameters):
        if "*" in kind:
            lines.append(f"  if (!take_pointer(given[{i}], {dict(pointers)[i]}, &held_{i}, &a{i})) goto failed;")
        else:
            lines.append(f"  {INTEGERS[kind]}({i});")
    arguments = ", ".join(f"a{i}" for i in range(len(parameters)))
    if result == "upsweep_status":
        lines += ["  upsweep_status status;", "  PyThreadState* const thread = PyEval_SaveThread();",
                  "  upsweep_interrupt_when(a_signal_raised, NULL);", f"  status = {name}({arguments});",
                  "  PyEval_RestoreThread(thread);"]
        answer = "  return status == UPSWEEP_OK ? Py_NewRef(Py_None) : raised(status);"
    elif result == "void":
        lines += ["  PyThreadState* const thread = PyEval_SaveThread();", f"  {name}({arguments});", "  PyEval_RestoreThread(thread);"]
        answer = "  Py_RETURN_NONE;"
    elif "char" in result:
        lines.append(f"  const char* const text = {name}({arguments});")
        answer = "  if (text) return PyUnicode_FromString(text);\n  Py_RETURN_NONE;"
    else:
        lines.append(f"  const size_t number = {name}({arguments});")
        answer = "  return PyLong_FromSize_t(number);"
    lines += [f"  let_go(&held_{i});" for i, _ in pointers] + [answer]
    if parameters:
        lines += ["failed:"] + [f"  let_go(&held_{i});" for i, _ in pointers] + ["  return NULL;"]
    return short, "\n".join(lines) + "\n}\n"


def source(header):
    written = ['#include "calls.h"\n']
    rows = []
    for result, name, parameters in functions(header):
        if name in ("upsweep_default_physics", "upsweep_interrupt_when"):  # a structure by value; what each call says itself
            continue
        short, text = wrapper(result, name, parameters)
        written.append(text)
        # A cast of a cast: the one function type that METH_FASTCALL means is not the one that the table has.
        rows.append(f'    {{"{short}", (PyCFunction)(void (*)(void))call_{short}, METH_FASTCALL, NULL}},')
    table = "\n".join(rows)
    written.append(f"static PyMethodDef functions[] = {{\n{table}\n    OWN_FUNCTIONS,\n    {{NULL, NULL, 0, NULL}},\n}};\n")
    written.append("MODULE(functions)\n")
    return "\n".join(written)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        print(source(header.read()))
