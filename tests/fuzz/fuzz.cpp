// The fuzzer: libFuzzer with one of the harnesses, which the name of the program selects.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/harness.hpp"

namespace {

const fuzz::harness* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char*** words) {
  const std::string_view path = (*words)[0], name = path.substr(path.rfind('/') + 1);
  for (const fuzz::harness& h : fuzz::harnesses())
    if (h.name == name) chosen = &h;
  if (chosen) return 0;
  std::fprintf(stderr, "Call it by a harness's name, as the links beside it do:");
  for (const fuzz::harness& h : fuzz::harnesses()) std::fprintf(stderr, " %s", h.name.data());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::give(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}
