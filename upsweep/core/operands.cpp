#include "upsweep/core/operands.hpp"

namespace upsweep {

namespace {

bool overlap(backend kind, const piece_of_memory& a, const piece_of_memory& b) {
  if (a.bytes == 0 || b.bytes == 0) return false;
  if (kind == backend::opencl && a.where.base != b.where.base) return false;
  const auto begin = [](const piece_of_memory& p) {
    return reinterpret_cast<std::uintptr_t>(p.where.base) + p.where.offset;
  };
  return begin(a) < begin(b) + b.bytes && begin(b) < begin(a) + a.bytes;
}

bool same(const piece_of_memory& a, const piece_of_memory& b) {
  return a.where.base == b.where.base && a.where.offset == b.where.offset && a.bytes == b.bytes;
}

void require_apart(const char* where, backend kind, std::initializer_list<piece_of_memory> pieces, bool in_place) {
  for (auto a = pieces.begin(); a != pieces.end(); ++a)
    for (auto b = a + 1; b != pieces.end(); ++b) {
      if ((!a->written && !b->written) || !overlap(kind, *a, *b)) continue;
      const bool first_two = in_place && a == pieces.begin() && b == a + 1;
      if (first_two && same(*a, *b)) continue;
      throw error(fault::bad_argument, where,
                  std::string(a->name) + " and " + b->name + " overlap" + (first_two ? " without being the same" : ""),
                  first_two ? "work in place exactly, or give the output memory of its own"
                            : "give the output memory of its own");
    }
}

}  // namespace

void require_apart(const char* where, backend kind, std::initializer_list<piece_of_memory> pieces) {
  require_apart(where, kind, pieces, false);
}
void require_apart_or_in_place(const char* where, backend kind, std::initializer_list<piece_of_memory> pieces) {
  require_apart(where, kind, pieces, true);
}

void require_same_size(const char* where, const char* a, std::uint64_t size_of_a, const char* b,
                       std::uint64_t size_of_b) {
  if (size_of_a != size_of_b)
    throw error(
        fault::bad_argument, where,
        std::string(a) + " have " + std::to_string(size_of_a) + " elements and " + b + " " + std::to_string(size_of_b),
        "give both the same size");
}

void require_room(const char* where, const char* what, std::uint64_t size, std::uint64_t needed) {
  if (size < needed)
    throw error(fault::bad_argument, where,
                std::string(what) + " has " + std::to_string(size) + " elements and " + std::to_string(needed) +
                    " may be written",
                "give it that many");
}

}  // namespace upsweep
