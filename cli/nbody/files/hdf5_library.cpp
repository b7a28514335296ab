#if UPSWEEP_WITH_HDF5

#include "cli/nbody/files/hdf5_library.hpp"

#include <dlfcn.h>

#include <string>

#include "upsweep/error.hpp"

namespace nbody_hdf5 {

namespace {

[[noreturn]] void fail(const std::string& why) {
  throw upsweep::error(upsweep::fault::unsupported, "HDF5", "it could not be loaded: " + why,
                       "install the package that has " UPSWEEP_HDF5_NAME ", or use .npy");
}

// Where the system looks for libraries; else where this build found the headers' library.
void* open_library() {
  if (void* const found = dlopen(UPSWEEP_HDF5_NAME, RTLD_NOW | RTLD_LOCAL)) return found;
  const std::string why = dlerror();
  if (void* const found = dlopen(UPSWEEP_HDF5_FOLDER "/" UPSWEEP_HDF5_NAME, RTLD_NOW | RTLD_LOCAL)) return found;
  fail(why);
}

// A program that is linked with the library all the same, as the tests are, has the variables in itself.
template <class Pointer>
Pointer address(void* from, const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (!found) found = dlsym(from, name);
  if (!found) fail(std::string("it has no ") + name);
  return reinterpret_cast<Pointer>(found);
}

library load() {
  void* const from = open_library();
  library h{};
#define UPSWEEP_HDF5_FIND(name) h.name = address<decltype(h.name)>(from, #name);
  UPSWEEP_HDF5_FUNCTIONS(UPSWEEP_HDF5_FIND)
#undef UPSWEEP_HDF5_FIND
  // Where a disk is full it shall not try once more when the program ends; it refuses where others use it already.
  h.H5dont_atexit();
  if (h.H5open() < 0) fail("it could not be initialized");
#define UPSWEEP_HDF5_READ(name) h.name = *address<hid_t*>(from, #name);
  UPSWEEP_HDF5_VARIABLES(UPSWEEP_HDF5_READ)
#undef UPSWEEP_HDF5_READ
  return h;
}

}  // namespace

const library& loaded() {
  static const library once = load();
  return once;
}

}  // namespace nbody_hdf5

#endif
