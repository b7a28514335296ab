#include "cli/io/loaded_library.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include "upsweep/error.hpp"

loaded_library::loaded_library(const char* what, const char* name, const char* folder) : what_(what), name_(name) {
  at_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!at_) at_ = dlopen(fmt::format("{}/{}", folder, name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!at_) fail("it could not be loaded");
}

void* loaded_library::address(const char* name) const {
  void* const found = dlsym(at_, name);
  if (!found) fail(fmt::format("it has no {}", name));
  return found;
}

void loaded_library::fail(const std::string& how) const {
  throw upsweep::error(upsweep::fault::unsupported, what_, how, fmt::format("install the package that has {}", name_));
}
