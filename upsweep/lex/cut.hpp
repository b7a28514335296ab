// An automaton run over a text by every thread.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "upsweep/lex/automaton.hpp"

namespace upsweep::lex_room {

inline constexpr std::size_t most_kinds = 128;
using kinds_skipped = std::array<bool, most_kinds>;

// Where what is kept goes: tokens, or the places of their ends, or nowhere.
struct cut_output {
  token* tokens = nullptr;
  std::uint64_t* ends = nullptr;
  std::uint64_t room = 0;
};

struct cut_end {
  std::array<std::uint64_t, most_kinds> counts{};
  std::uint64_t kept = 0, boundary = 0;  // where the last token ended
  std::uint32_t state = automaton::start;
  std::optional<std::uint64_t> died;  // the byte that could not follow
};

// Every token that ended within the text; what is open at its end is the caller's.
cut_end cut(const context&, const automaton&, const kinds_skipped&, std::string_view text, const cut_output&);
void store(const cut_output&, std::uint64_t first, std::uint64_t end, std::uint32_t kind, std::uint64_t at);

// cuda.cu: the same on a CUDA device, text and outputs in its memory. Nothing where more states stay possible at some
// place than are followed there.
std::optional<cut_end> cut_on_cuda(device&, const automaton&, const kinds_skipped&, std::string_view text,
                                   const cut_output&);

[[noreturn]] void too_small(const char* call);
[[noreturn]] void too_long(std::uint64_t first);

inline void require_no_opencl(const context& where) {
  if (where.kind() == backend::opencl)
    throw error(fault::unsupported, "lex", "text is not cut on OpenCL devices", "use a CPU or a CUDA context");
}

}  // namespace upsweep::lex_room
