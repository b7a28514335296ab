#include "peers/vqsort.hpp"

#include <dlfcn.h>
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>

#include <stdexcept>
#include <string>
#include <typeinfo>

namespace upsweep::peers {

namespace {

// Highway's library measures the clock when it is loaded, for some 5 ms: so not at every start of the command, but when
// the first sort asks for it.
void* sorter(const std::string& member) {
  static void* const library = [] {
    void* const found = dlopen(UPSWEEP_VQSORT_NAME, RTLD_NOW | RTLD_LOCAL);
    return found ? found : dlopen(UPSWEEP_VQSORT_FOLDER "/" UPSWEEP_VQSORT_NAME, RTLD_NOW | RTLD_LOCAL);
  }();
  void* const at = library ? dlsym(library, member.c_str()) : nullptr;
  if (!at) throw std::runtime_error(UPSWEEP_VQSORT_NAME " has no " + member);
  return at;
}

// hwy::Sorter's constructor, what its destructor calls, and void operator()(T*, size_t, SortAscending) const, by the
// names that the compiler gives them. The object is a pointer.
template <class T>
void sort_ascending(T* keys, std::size_t n) {
  static const auto make = reinterpret_cast<void (*)(void*)>(sorter("_ZN3hwy6SorterC1Ev"));
  static const auto remove = reinterpret_cast<void (*)(void*)>(sorter("_ZN3hwy6Sorter6DeleteEv"));
  static const auto sort = reinterpret_cast<void (*)(const void*, T*, std::size_t, hwy::SortAscending)>(sorter(
      std::string("_ZNK3hwy6SorterclEP") + typeid(T).name() + typeid(std::size_t).name() + "NS_13SortAscendingE"));
  alignas(hwy::Sorter) std::byte memory[sizeof(hwy::Sorter)] = {};
  make(memory);
  sort(memory, keys, n, hwy::SortAscending());
  remove(memory);
}

}  // namespace

void vqsort(std::int32_t* keys, std::size_t n) { sort_ascending(keys, n); }
void vqsort(std::uint32_t* keys, std::size_t n) { sort_ascending(keys, n); }
void vqsort(std::int64_t* keys, std::size_t n) { sort_ascending(keys, n); }
void vqsort(std::uint64_t* keys, std::size_t n) { sort_ascending(keys, n); }
void vqsort(float* keys, std::size_t n) { sort_ascending(keys, n); }
void vqsort(double* keys, std::size_t n) { sort_ascending(keys, n); }

std::string vqsort_version() {
  return "Highway " + std::to_string(HWY_MAJOR) + "." + std::to_string(HWY_MINOR) + "." + std::to_string(HWY_PATCH);
}

}  // namespace upsweep::peers
