#include "upsweep/core/operands.hpp"

namespace upsweep::core {

namespace {

// With OpenCL, `base` is a handle and not an address.
bool addresses(backend kind, const piece_of_memory& p) { return p.on_host || kind != backend::opencl; }

bool overlap(backend kind, const piece_of_memory& a, const piece_of_memory& b) {
  if (a.bytes == 0 || b.bytes == 0) return false;
  if (!(addresses(kind, a) && addresses(kind, b)) && a.where.base != b.where.base) return false;
  const auto begin = [](const piece_of_memory& p) {
    return reinterpret_cast<std::uintptr_t>(p.where.base) + p.where.offset;
  };
  return begin(a) < begin(b) + b.bytes && begin(b) < begin(a) + a.bytes;
}

bool same(const piece_of_memory& a, const piece_of_memory& b) {
  return a.where.address() == b.where.address() && a.bytes == b.bytes;
}

}  // namespace

void require_reach(const char* where, const context& c, std::initializer_list<piece_of_memory> pieces) {
  for (const piece_of_memory& p : pieces)
    if (!p.on_host && p.bytes != 0 && !c.device().can_read(p.where)) c.device().refuse(p.where.owner, where, p.name);
}

void require_no_overlap(const char* where, const context& c, std::initializer_list<piece_of_memory> pieces,
                        std::size_t in_place) {
  core::require_reach(where, c, pieces);
  const piece_of_memory* const piece = pieces.begin();
  for (std::size_t a = 0; a < pieces.size(); ++a)
    for (std::size_t b = a + 1; b < pieces.size(); ++b) {
      if ((!piece[a].written && !piece[b].written) || !overlap(c.kind(), piece[a], piece[b])) continue;
      const bool pair = a % 2 == 0 && b == a + 1 && a / 2 < in_place;
      if (pair && same(piece[a], piece[b])) continue;
      throw error(
          fault::bad_argument, where,
          std::string(piece[a].name) + " and " + piece[b].name + " overlap" + (pair ? " without being the same" : ""),
          pair ? "work in place exactly, or give a separate output" : "give a separate output");
    }
}

std::uint64_t segments_of(const char* where, std::uint64_t offsets) {
  if (offsets == 0)
    throw error(fault::bad_argument, where, "there are no offsets", "give one more than there are segments");
  return offsets - 1;
}

void require_offsets(const char* where, const context& c, operand<const std::uint64_t> offsets, std::uint64_t n,
                     bool on_devices_too) {
  if (!on_devices_too && !offsets.on_host() && c.kind() != backend::cpu) return;
  const readable<std::uint64_t> offset(c, offsets);
  for (std::uint64_t s = 0; s < offsets.size(); ++s) {
    if (s && offset[s] < offset[s - 1])
      throw error(fault::bad_argument, where,
                  "offset " + std::to_string(s) + " is " + std::to_string(offset[s]) + ", less than the " +
                      std::to_string(offset[s - 1]) + " before it",
                  "give offsets that never decrease");
    if (offset[s] > n)
      throw error(fault::bad_argument, where,
                  "offset " + std::to_string(s) + " is " + std::to_string(offset[s]) + ", past the end of " +
                      std::to_string(n) + " elements",
                  "the last offset must be the size of the input");
  }
}

void require_same_size(const char* where, const char* sentence, std::uint64_t a, std::uint64_t b, const char* remedy) {
  if (a == b) return;
  std::string what = sentence;
  for (const std::uint64_t size : {a, b}) what.replace(what.find('#'), 1, std::to_string(size));
  throw error(fault::bad_argument, where, what, remedy);
}

void require_capacity(const char* where, const char* what, std::uint64_t there, std::uint64_t needed) {
  require_capacity(
      where, there, needed,
      [&] {
        return std::string(what) + " has " + std::to_string(there) + " elements and " + std::to_string(needed) +
               " may be written";
      },
      "give that many");
}

}  // namespace upsweep::core
