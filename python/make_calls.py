"""make_calls.py HEADER: print the C source of upsweep._calls, which wraps every function that upsweep.h declares.

Arguments are converted as follows. Numbers are checked for their range. A pointer is an address, None, or an object with a buffer. A pointer to
non-const memory requires a writable buffer.

A status other than UPSWEEP_OK raises an exception. Other results are written through the pointers. The wrapper releases the interpreter's lock
during the call. A signal handler that raises cancels work on the CPU.
"""
import re
import sys

# The macro of calls.h that converts argument i, by the type of the parameter.
INTEGERS = {"int": "CONVERT_INT", "char": "CONVERT_INT", "uint32_t": "CONVERT_U32", "uint64_t": "CONVERT_U64", "size_t": "CONVERT_U64",
            "float": "CONVERT_DOUBLE", "double": "CONVERT_DOUBLE"}


def functions(header):
    """Yield (result, name, [(type, name)]) of each declaration."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    enums = set(re.findall(r"typedef int (\w+);", text))
    for result, name, parameters in re.findall(r"UPSWEEP_API\s+([^;()]+?)\b(upsweep_\w+)\(([^)]*)\);", text):
        typed = []
        for parameter in parameters.split(","):
            parameter = " ".join(parameter.split())
            if parameter == "void":
                continue
            if re.fullmatch(r"\w+", parameter):  # a type alone
                parameter += " it"
            kind, of, count = re.fullmatch(r"(.*?)(\w+)((?:\[\d+\])?)", parameter).groups()
            kind = kind.strip() + ("*" if count else "")
            typed.append(("int" if kind in enums else kind, of))
        yield " ".join(result.split()), name, typed


def wrapper(result, name, parameters):
    short = name.removeprefix("upsweep_")
    lines = [f"static PyObject* call_{short}(PyObject* self, PyObject* const* args, Py_ssize_t count) {{", "  (void)self, (void)args;",
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
            lines.append(f"  if (!convert_pointer(args[{i}], {dict(pointers)[i]}, &held_{i}, &a{i})) goto failed;")
        else:
            lines.append(f"  {INTEGERS[kind]}({i});")
    arguments = ", ".join(f"a{i}" for i in range(len(parameters)))
    if result == "upsweep_status":
        lines += ["  upsweep_status status;", "  PyThreadState* const thread = PyEval_SaveThread();",
                  "  upsweep_set_cancel_callback(signal_handler_raised, NULL);", f"  status = {name}({arguments});",
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
    lines += [f"  release_buffer(&held_{i});" for i, _ in pointers] + [answer]
    if parameters:
        lines += ["failed:"] + [f"  release_buffer(&held_{i});" for i, _ in pointers] + ["  return NULL;"]
    return short, "\n".join(lines) + "\n}\n"


def source(header):
    written = ['#include "calls.h"\n']
    rows = []
    for result, name, parameters in functions(header):
        if name in ("upsweep_nbody_default_parameters", "upsweep_set_cancel_callback"):  # returns a structure by value; every wrapper calls it itself
            continue
        short, text = wrapper(result, name, parameters)
        written.append(text)
        # Two casts: the type of METH_FASTCALL functions differs from the type in PyMethodDef.
        rows.append(f'    {{"{short}", (PyCFunction)(void (*)(void))call_{short}, METH_FASTCALL, NULL}},')
    table = "\n".join(rows)
    written.append(f"static PyMethodDef functions[] = {{\n{table}\n    OTHER_FUNCTIONS,\n    {{NULL, NULL, 0, NULL}},\n}};\n")
    written.append("MODULE(functions)\n")
    return "\n".join(written)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        print(source(header.read()))
