#include "upsweep/lex/cuda/fields.cuh"
#include "upsweep/lex/cuda/tokens.cuh"

namespace upsweep::lex_room {

std::optional<cut_end> cut_on_cuda(device& d, const automaton& a, const kinds_skipped& skip, std::string_view text,
                                   const cut_output& out) {
  return cuda::cut_in<scan_shape<384, 144, 3, 1, 1>>(cuda::of(d), a, skip, text, out);
}

std::optional<table_carry> fields_on_cuda(device& d, std::string_view text, char separator, std::uint64_t* ends,
                                          std::uint64_t room) {
  return cuda::fields_in<scan_shape<768, 48, 5, 2, 1>>(cuda::of(d), text, separator, ends, room);
}

}  // namespace upsweep::lex_room
