// HDF5, loaded at its first use: linking it would load curl, Kerberos and LDAP at every start of the command. Functions
// are declared by its headers; the library is found by its name at run time.
#pragma once

#include <hdf5.h>

// clang-format off
#define UPSWEEP_HDF5_FUNCTIONS(each)                                                                                   \
  each(H5open) each(H5dont_atexit) each(H5Eset_auto2) each(H5Lexists)                                                  \
  each(H5Fopen) each(H5Fcreate) each(H5Fclose) each(H5Gopen2) each(H5Gclose)                                           \
  each(H5Aexists) each(H5Aopen) each(H5Aread) each(H5Aget_space) each(H5Aclose)                                        \
  each(H5Dopen2) each(H5Dcreate2) each(H5Dread) each(H5Dwrite) each(H5Dset_extent) each(H5Dget_space) each(H5Dclose)   \
  each(H5Screate_simple) each(H5Sget_simple_extent_ndims) each(H5Sget_simple_extent_dims)                              \
  each(H5Sget_simple_extent_npoints) each(H5Sselect_hyperslab) each(H5Sclose)                                          \
  each(H5Pcreate) each(H5Pset_chunk) each(H5Pclose)

// H5T_NATIVE_DOUBLE and its like are macros that read these, which hold nothing before H5open.
#define UPSWEEP_HDF5_VARIABLES(each)                                                                                   \
  each(H5T_NATIVE_DOUBLE_g) each(H5T_NATIVE_FLOAT_g) each(H5T_NATIVE_UINT64_g)                                         \
  each(H5T_IEEE_F64LE_g) each(H5T_IEEE_F32LE_g) each(H5T_STD_U64LE_g) each(H5P_CLS_DATASET_CREATE_ID_g)
// clang-format on

namespace nbody_hdf5 {

struct library {
#define UPSWEEP_HDF5_MEMBER(name) decltype(&::name) name;
  UPSWEEP_HDF5_FUNCTIONS(UPSWEEP_HDF5_MEMBER)
#undef UPSWEEP_HDF5_MEMBER
#define UPSWEEP_HDF5_MEMBER(name) hid_t name;
  UPSWEEP_HDF5_VARIABLES(UPSWEEP_HDF5_MEMBER)
#undef UPSWEEP_HDF5_MEMBER
};

// Loads it at the first call; throws an upsweep::error on failure.
const library& loaded();

// Under their own names, which hide the headers' declarations in this namespace.
template <auto Member, class Function>
struct forward;
template <auto Member, class Result, class... Arguments>
struct forward<Member, Result (*)(Arguments...)> {
  static Result call(Arguments... all) { return (loaded().*Member)(all...); }
};
#define UPSWEEP_HDF5_NAME_IT(name) inline constexpr auto name = &forward<&library::name, decltype(library::name)>::call;
UPSWEEP_HDF5_FUNCTIONS(UPSWEEP_HDF5_NAME_IT)
#undef UPSWEEP_HDF5_NAME_IT

struct variable {
  hid_t library::* which;
  operator hid_t() const { return loaded().*which; }
};
#define UPSWEEP_HDF5_NAME_IT(name) inline constexpr variable name{&library::name};
UPSWEEP_HDF5_VARIABLES(UPSWEEP_HDF5_NAME_IT)
#undef UPSWEEP_HDF5_NAME_IT

}  // namespace nbody_hdf5

// The headers' macros would compare versions to the last figure, and end the process; the name of the library that is
// loaded says already that it fits. They would start it as well, in 2.2 by variables of its own: loaded() has.
#undef H5CHECK
#define H5CHECK
#undef H5OPEN
#define H5OPEN
