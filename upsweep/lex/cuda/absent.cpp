#include "upsweep/lex/cut.hpp"
#include "upsweep/lex/fields.hpp"

namespace upsweep::lex_room {

// No context of CUDA can be made in this build; the linker wants these all the same.
[[noreturn]] static void absent() {
  throw error(fault::no_device, "lex", "CUDA is not in this build", "build with nvcc");
}

std::optional<cut_end> cut_on_cuda(device&, const automaton&, const kinds_skipped&, std::string_view,
                                   const cut_output&) {
  absent();
}
std::optional<table_carry> fields_on_cuda(device&, std::string_view, char, std::uint64_t*, std::uint64_t) { absent(); }

}  // namespace upsweep::lex_room
