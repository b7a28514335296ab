#include "upsweep/convolve/convolve_operands.hpp"
#include "upsweep/convolve/convolve_problem.hpp"

#include "upsweep/convolve/convolve_choice.hpp"

namespace upsweep::detail::convolve_impl {

namespace {

std::string text(const extent& e) {
  return std::to_string(e.x) + " x " + std::to_string(e.y) + (e.z > 1 ? " x " + std::to_string(e.z) : std::string());
}

}  // namespace

void require_picture(const char* where, const problem& p) {
  constexpr std::uint64_t most = std::uint64_t{1} << 48;
  if (p.size.x == 0 || p.size.y == 0 || p.size.z == 0)
    throw error(fault::bad_argument, where, "a picture of " + text(p.size) + " is empty", "give at least one pixel");
  if (p.size.x > most || p.size.y > most / p.size.x || p.size.z > most / (p.size.x * p.size.y))
    throw error(fault::bad_argument, where, "a picture of " + text(p.size) + " is larger than any memory",
                "give its size in pixels");
  if (p.channels < 1 || p.channels > 4)
    throw error(fault::bad_argument, where, std::to_string(p.channels) + " channels are not 1 to 4",
                "convolve the channels in groups");
  const geometry g = geometry_of(p);
  if (g.in_pitch < g.in.x * g.channels || g.out_pitch < g.out.x * g.channels)
    throw error(fault::bad_argument, where, "a pitch is less than the elements of a row",
                "give it in elements, not in pixels, or 0 for rows without gaps");
  if (g.in_pitch > most || g.out_pitch > most)
    throw error(fault::bad_argument, where, "a pitch is larger than any memory", "give it in elements");
  if (!go_together(p.type, p.mask_type, p.out_type))
    throw error(fault::bad_argument, where,
                "elements of " + std::string(name_of(p.type)) + ", a mask of " + std::string(name_of(p.mask_type)) +
                    " and results of " + std::string(name_of(p.out_type)) + " are not supported together",
                "upsweep/convolve.hpp lists the combinations");
}

void require_spans(const char* where, const problem& p, std::uint64_t in, std::uint64_t out) {
  const geometry g = geometry_of(p);
  const auto require = [&](const char* what, std::uint64_t there, extent size, std::uint64_t pitch) {
    const std::uint64_t wanted = span_of(size, g.channels, pitch);
    require_capacity(
        where, there, wanted,
        [&] {
          return std::string(what) + " has " + std::to_string(there) + " elements, and " + std::to_string(wanted) +
                 " are between the first and the last of " + text(size) + " pixels";
        },
        "give that many");
  };
  require("the input", in, g.in, g.in_pitch);
  require("the output", out, g.out, g.out_pitch);
}

std::string explained(const context& where, const problem& p) { return choose_algorithm(where.kind(), p).why; }

}  // namespace upsweep::detail::convolve_impl
