/* What the functions that make_calls.py writes are made of: arguments of Python's become C's, and a status an exception. Python's limited
 * API of 3.11, so that one build serves all that came later. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#include "upsweep.h"

/* The exception for each status, by its number; set by the package. */
static PyObject* exceptions;

/* What upsweep_interrupt_when asks, without the interpreter's lock: whether a signal's handler has raised, as that of
 * Control-C does. Python runs handlers on its main thread alone; on any other this is no. */
static int a_signal_raised(void* none) {
  (void)none;
  const PyGILState_STATE state = PyGILState_Ensure();
  const int raises = PyErr_CheckSignals();
  PyGILState_Release(state);
  return raises;
}

static PyObject* raised(upsweep_status status) {
  if (PyErr_Occurred()) return NULL; /* the handler's own exception */
  PyObject* const type = exceptions ? PyTuple_GetItem(exceptions, status) : PyExc_RuntimeError;
  if (type) PyErr_SetString(type, upsweep_last_message());
  return NULL;
}

static PyObject* wrong_count(const char* name, int wanted, Py_ssize_t given) {
  return PyErr_Format(PyExc_TypeError, "%s takes %d arguments, not %zd", name, wanted, given);
}

static void let_go(Py_buffer* held) {
  if (held->obj) PyBuffer_Release(held);
}

static int take_pointer(PyObject* given, int writes, Py_buffer* held, void** pointer) {
  if (given == Py_None) {
    *pointer = NULL;
    return 1;
  }
  if (PyLong_CheckExact(given)) {
    *pointer = PyLong_AsVoidPtr(given);
    return !PyErr_Occurred();
  }
  if (PyObject_CheckBuffer(given)) {
    if (PyObject_GetBuffer(given, held, writes ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) {
      held->obj = NULL;
      return 0;
    }
    *pointer = held->buf;
    return 1;
  }
  PyObject* const there = PyObject_GetAttrString(given, "address"); /* memory of a device's */
  if (!there) return 0;
  *pointer = PyLong_AsVoidPtr(there);
  Py_DECREF(there);
  return !PyErr_Occurred();
}

static int take_unsigned(PyObject* given, uint64_t most, uint64_t* number) {
  const unsigned long long value = PyLong_AsUnsignedLongLong(given);
  if (value == (unsigned long long)-1 && PyErr_Occurred()) return 0;
  if (value > most) {
    PyErr_SetString(PyExc_OverflowError, "a number of more than 32 bits");
    return 0;
  }
  *number = value;
  return 1;
}

#define TAKE_INT(i)                               \
  do {                                            \
    const long value = PyLong_AsLong(given[i]);   \
    if (value == -1 && PyErr_Occurred()) goto failed; \
    a##i = (int)value;                            \
  } while (0)
#define TAKE_UNSIGNED(i, most)                                \
  do {                                                        \
    uint64_t value;                                           \
    if (!take_unsigned(given[i], most, &value)) goto failed;  \
    a##i = value;                                             \
  } while (0)
#define TAKE_U32(i) TAKE_UNSIGNED(i, UINT32_MAX)
#define TAKE_U64(i) TAKE_UNSIGNED(i, UINT64_MAX)
#define TAKE_DOUBLE(i)                                        \
  do {                                                        \
    const double value = PyFloat_AsDouble(given[i]);          \
    if (value == -1 && PyErr_Occurred()) goto failed;         \
    a##i = value;                                             \
  } while (0)

static PyObject* set_exceptions(PyObject* self, PyObject* tuple) {
  (void)self;
  if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != UPSWEEP_INTERRUPTED + 1)
    return PyErr_Format(PyExc_TypeError, "a tuple of %d exceptions is wanted", UPSWEEP_INTERRUPTED + 1);
  PyObject* const before = exceptions;
  exceptions = Py_NewRef(tuple);
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

/* copy_if of the host's memory, with the count as a number: what `select` is, in one step less. */
static PyObject* kept_if(PyObject* self, PyObject* const* given, Py_ssize_t count) {
  (void)self;
  if (count != 7) return wrong_count("kept_if", 7, count);
  Py_buffer held_context, held_in, held_threshold, held_out;
  held_context.obj = held_in.obj = held_threshold.obj = held_out.obj = NULL;
  void *context, *in, *threshold, *out;
  int a1, a4;
  uint64_t a3, kept = 0;
  if (!take_pointer(given[0], 0, &held_context, &context)) goto failed;
  TAKE_INT(1);
  if (!take_pointer(given[2], 0, &held_in, &in)) goto failed;
  TAKE_U64(3);
  TAKE_INT(4);
  if (!take_pointer(given[5], 0, &held_threshold, &threshold)) goto failed;
  if (!take_pointer(given[6], 1, &held_out, &out)) goto failed;
  PyThreadState* const thread = PyEval_SaveThread();
  upsweep_interrupt_when(a_signal_raised, NULL);
  const upsweep_status status = upsweep_copy_if(context, a1, in, a3, a4, threshold, out, &kept);
  PyEval_RestoreThread(thread);
  let_go(&held_context);
  let_go(&held_in);
  let_go(&held_threshold);
  let_go(&held_out);
  return status == UPSWEEP_OK ? PyLong_FromUnsignedLongLong(kept) : raised(status);
failed:
  let_go(&held_context);
  let_go(&held_in);
  let_go(&held_threshold);
  let_go(&held_out);
  return NULL;
}

/* Where a buffer's memory is, for as long as the caller keeps the object. */
static PyObject* address(PyObject* self, PyObject* given) {
  (void)self;
  Py_buffer held;
  if (PyObject_GetBuffer(given, &held, PyBUF_SIMPLE) != 0) return NULL;
  PyObject* const number = PyLong_FromVoidPtr(held.buf);
  PyBuffer_Release(&held);
  return number;
}

/* ---- DLPack: the part of its version 0 that every library gives. */

typedef struct {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides; /* in elements; strides may be null */
  uint64_t byte_offset;
} dl_tensor;

/* (address, device type, device id, code, bits, lanes, shape, strides or None) of a capsule, which stays the caller's. */
static PyObject* dlpack(PyObject* self, PyObject* capsule) {
  (void)self;
  const dl_tensor* const t = PyCapsule_GetPointer(capsule, "dltensor");
  if (!t) return NULL;
  PyObject* const shape = PyTuple_New(t->ndim);
  PyObject* const strides = t->strides ? PyTuple_New(t->ndim) : Py_NewRef(Py_None);
  for (int32_t i = 0; shape && strides && i < t->ndim; ++i) {
    PyTuple_SetItem(shape, i, PyLong_FromLongLong(t->shape[i]));
    if (t->strides) PyTuple_SetItem(strides, i, PyLong_FromLongLong(t->strides[i]));
  }
  if (!shape || !strides) {
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    return NULL;
  }
  return Py_BuildValue("(KiiiiiNN)", (unsigned long long)(uintptr_t)t->data + t->byte_offset, t->device_type,
                       t->device_id, t->code, t->bits, t->lanes, shape, strides);
}

#define OWN_FUNCTIONS                                            \
  {"set_exceptions", set_exceptions, METH_O, NULL},              \
      {"address", address, METH_O, NULL},                        \
      {"kept_if", (PyCFunction)(void (*)(void))kept_if, METH_FASTCALL, NULL}, \
      {"dlpack", dlpack, METH_O, NULL}

#define MODULE(functions)                                                                                        \
  static struct PyModuleDef module = {                                                                           \
      PyModuleDef_HEAD_INIT, "_calls", "upsweep.h's functions.", -1, functions, NULL, NULL, NULL, NULL};         \
  PyMODINIT_FUNC PyInit__calls(void) { return PyModule_Create(&module); }
