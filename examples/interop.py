"""Upsweep on arrays of Python's: CuPy's where there is a GPU (their pointer and stream are taken as they are), else NumPy's, else ctypes' own."""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
library.upsweep_message.restype = ctypes.c_char_p


def call(function, *arguments):
    if function(*arguments) != 0:
        sys.exit(library.upsweep_message().decode())


def pointer(address):
    return ctypes.c_void_p(address)


n = 100_000
want = [(i + 1) * 0.5 for i in range(n)]
try:
    import cupy
    cupy.cuda.runtime.getDeviceCount()
    stream = cupy.cuda.Stream()
    with stream:
        x, y = cupy.full(n, 0.5, cupy.float32), cupy.empty(n, cupy.float32)
        keys = cupy.arange(n, 0, -1).astype(cupy.uint32)
        call(library.upsweep_cumsum_f32, pointer(x.data.ptr), pointer(y.data.ptr), ctypes.c_uint64(n), 1, pointer(stream.ptr))
        call(library.upsweep_sort_u32, pointer(keys.data.ptr), ctypes.c_uint64(n), 1, pointer(stream.ptr))
        y, keys = y.tolist(), keys.tolist()
    kind = "CuPy"
except Exception as absent:
    if type(absent).__module__.startswith("cupy") or isinstance(absent, ImportError):
        try:
            import numpy
            x, y = numpy.full(n, 0.5, numpy.float32), numpy.empty(n, numpy.float32)
            keys = numpy.arange(n, 0, -1).astype(numpy.uint32)
            addresses = [a.ctypes.data for a in (x, y, keys)]
            kind = "NumPy"
        except ImportError:
            x, y = (ctypes.c_float * n)(*[0.5] * n), (ctypes.c_float * n)()
            keys = (ctypes.c_uint32 * n)(*range(n, 0, -1))
            addresses = [ctypes.addressof(a) for a in (x, y, keys)]
            kind = "ctypes"
        call(library.upsweep_cumsum_f32, pointer(addresses[0]), pointer(addresses[1]), ctypes.c_uint64(n), 0, None)
        call(library.upsweep_sort_u32, pointer(addresses[2]), ctypes.c_uint64(n), 0, None)
        y, keys = list(y), list(keys)
    else:
        raise
right = y == want and keys == list(range(1, n + 1))
print(f"{n} elements of {kind}'s:", "right" if right else "WRONG")
sys.exit(0 if right else 1)
