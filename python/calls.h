/* Helpers of the wrappers that make_calls.py writes: they convert Python arguments to C arguments, and a status to an
 * exception. The code uses Python's limited API of 3.11, so one build works with all later versions. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#include "upsweep.h"

/* A tuple with the exception of each status. The package sets it. */
static PyObject* exceptions;

/* The callback of upsweep_set_cancel_callback: whether a signal handler has raised, as the handler of Control-C does.
 * The caller does not hold the interpreter's lock. Python runs signal handlers on its main thread only, so the result on
 * other threads is 0. */
static int signal_handler_raised(void* none) {
  (void)none;
  const PyGILState_STATE state = PyGILState_Ensure();
  const int raises = PyErr_CheckSignals();
  PyGILState_Release(state);
  return raises;
}

static PyObject* raised(upsweep_status status) {
  if (PyErr_Occurred()) return NULL; /* the handler's own exception */
  PyObject* const type = exceptions ? PyTuple_GetItem(exceptions, status) : PyExc_RuntimeError;
  if (!type) return NULL;
  /* The message may contain bytes of the caller that are not UTF-8, or end in the middle of a character. */
  const char* const message = upsweep_last_message();
  PyObject* const text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
  if (text) PyErr_SetObject(type, text);
  Py_XDECREF(text);
  return NULL;
}

static PyObject* wrong_count(const char* name, int wanted, Py_ssize_t args) {
  return PyErr_Format(PyExc_TypeError, "%s takes %d arguments, not %zd", name, wanted, args);
}

static void release_buffer(Py_buffer* held) {
  if (held->obj) PyBuffer_Release(held);
}

/* After PyObject_GetBuffer has failed: the address of a NumPy array of datetime64 or timedelta64, which the buffer
 * protocol cannot describe. The package passes contiguous arrays. */
static int address_of_times(PyObject* args, int writes, void** pointer) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject* const interface = PyObject_GetAttrString(args, "__array_interface__");
  PyObject* const text = interface ? PyMapping_GetItemString(interface, "typestr") : NULL;
  PyObject* const data = interface ? PyMapping_GetItemString(interface, "data") : NULL;
  PyObject* const kind = text ? PyUnicode_AsASCIIString(text) : NULL;
  const char letter = kind ? PyBytes_AsString(kind)[1] : 0;
  int found = 0;
  if (data && (letter == 'm' || letter == 'M') && !(writes && PyObject_IsTrue(PyTuple_GetItem(data, 1)))) {
    *pointer = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
    found = !PyErr_Occurred();
  }
  Py_XDECREF(kind);
  Py_XDECREF(data);
  Py_XDECREF(text);
  Py_XDECREF(interface);
  if (!found) {
    PyErr_Restore(type, value, trace);
    return 0;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return 1;
}

static int convert_pointer(PyObject* args, int writes, Py_buffer* held, void** pointer) {
  if (args == Py_None) {
    *pointer = NULL;
    return 1;
  }
  if (PyLong_CheckExact(args)) {
    *pointer = PyLong_AsVoidPtr(args);
    return !PyErr_Occurred();
  }
  if (PyObject_CheckBuffer(args)) {
    if (PyObject_GetBuffer(args, held, writes ? PyBUF_WRITABLE : PyBUF_SIMPLE) == 0) {
      *pointer = held->buf;
      return 1;
    }
    held->obj = NULL;
    return address_of_times(args, writes, pointer);
  }
  PyObject* const address_of_array = PyObject_GetAttrString(args, "address"); /* a device array */
  if (!address_of_array) return 0;
  *pointer = PyLong_AsVoidPtr(address_of_array);
  Py_DECREF(address_of_array);
  return !PyErr_Occurred();
}

static int convert_unsigned(PyObject* args, uint64_t most, uint64_t* number) {
  const unsigned long long value = PyLong_AsUnsignedLongLong(args);
  if (value == (unsigned long long)-1 && PyErr_Occurred()) return 0;
  if (value > most) {
    PyErr_SetString(PyExc_OverflowError, "a number above 32 bits; give a smaller one");
    return 0;
  }
  *number = value;
  return 1;
}

#define CONVERT_INT(i)                               \
  do {                                            \
    const long value = PyLong_AsLong(args[i]);   \
    if (value == -1 && PyErr_Occurred()) goto failed; \
    a##i = (int)value;                            \
  } while (0)
#define CONVERT_UNSIGNED(i, most)                                \
  do {                                                        \
    uint64_t value;                                           \
    if (!convert_unsigned(args[i], most, &value)) goto failed;  \
    a##i = value;                                             \
  } while (0)
#define CONVERT_U32(i) CONVERT_UNSIGNED(i, UINT32_MAX)
#define CONVERT_U64(i) CONVERT_UNSIGNED(i, UINT64_MAX)
#define CONVERT_DOUBLE(i)                                        \
  do {                                                        \
    const double value = PyFloat_AsDouble(args[i]);          \
    if (value == -1 && PyErr_Occurred()) goto failed;         \
    a##i = value;                                             \
  } while (0)

static PyObject* set_exceptions(PyObject* self, PyObject* tuple) {
  (void)self;
  if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != UPSWEEP_CANCELLED + 1)
    return PyErr_Format(PyExc_TypeError, "give a tuple of %d exceptions", UPSWEEP_CANCELLED + 1);
  PyObject* const before = exceptions;
  exceptions = Py_NewRef(tuple);
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

/* upsweep_copy_if in host memory, which returns the count as a number. It saves `select` a step for small arrays. */
static PyObject* copy_if_count(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  (void)self;
  if (count != 7) return wrong_count("copy_if_count", 7, count);
  Py_buffer held_context, held_in, held_threshold, held_out;
  held_context.obj = held_in.obj = held_threshold.obj = held_out.obj = NULL;
  void *context, *in, *threshold, *out;
  int a1, a4;
  uint64_t a3, kept = 0;
  if (!convert_pointer(args[0], 0, &held_context, &context)) goto failed;
  CONVERT_INT(1);
  if (!convert_pointer(args[2], 0, &held_in, &in)) goto failed;
  CONVERT_U64(3);
  CONVERT_INT(4);
  if (!convert_pointer(args[5], 0, &held_threshold, &threshold)) goto failed;
  if (!convert_pointer(args[6], 1, &held_out, &out)) goto failed;
  PyThreadState* const thread = PyEval_SaveThread();
  upsweep_set_cancel_callback(signal_handler_raised, NULL);
  const upsweep_status status = upsweep_copy_if(context, a1, in, a3, a4, threshold, out, &kept);
  PyEval_RestoreThread(thread);
  release_buffer(&held_context);
  release_buffer(&held_in);
  release_buffer(&held_threshold);
  release_buffer(&held_out);
  return status == UPSWEEP_OK ? PyLong_FromUnsignedLongLong(kept) : raised(status);
failed:
  release_buffer(&held_context);
  release_buffer(&held_in);
  release_buffer(&held_threshold);
  release_buffer(&held_out);
  return NULL;
}

/* The address of an object's buffer. It is valid as long as the caller keeps the object. */
static PyObject* address(PyObject* self, PyObject* args) {
  (void)self;
  Py_buffer held;
  if (PyObject_GetBuffer(args, &held, PyBUF_SIMPLE) != 0) return NULL;
  PyObject* const number = PyLong_FromVoidPtr(held.buf);
  PyBuffer_Release(&held);
  return number;
}

/* ---- DLPack: the part of version 0 that every library implements. */

typedef struct {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides; /* in elements; strides may be null */
  uint64_t byte_offset;
} dl_tensor;

/* Returns (address, device type, device id, code, bits, lanes, shape, strides or None) of a capsule. The caller still
 * owns the capsule. */
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

#define OTHER_FUNCTIONS                                            \
  {"set_exceptions", set_exceptions, METH_O, NULL},              \
      {"address", address, METH_O, NULL},                        \
      {"copy_if_count", (PyCFunction)(void (*)(void))copy_if_count, METH_FASTCALL, NULL}, \
      {"dlpack", dlpack, METH_O, NULL}

#define MODULE(functions)                                                                                        \
  static struct PyModuleDef module = {                                                                           \
      PyModuleDef_HEAD_INIT, "_calls", "upsweep.h's functions.", -1, functions, NULL, NULL, NULL, NULL};         \
  PyMODINIT_FUNC PyInit__calls(void) { return PyModule_Create(&module); }
