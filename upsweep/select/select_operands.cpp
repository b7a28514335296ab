#include "upsweep/select/select_operands.hpp"

namespace upsweep::detail::select_impl {

namespace {

template <class I>
void require_below(const context& where, const char* name, operand<const I> indices, operand<const std::uint8_t> flags,
                   std::uint64_t limit) {
  const readable<I> index(where, indices);
  const readable<std::uint8_t> flag(where, flags);
  // A block at a time without branches; which one it is matters only where there is one.
  constexpr std::uint64_t block = 4096;
  for (std::uint64_t first = 0; first < indices.size(); first += block) {
    const std::uint64_t last = std::min(first + block, indices.size());
    bool past = false;
    if (flags.size() == 0)
      for (std::uint64_t i = first; i < last; ++i) past |= index[i] >= limit;
    else
      for (std::uint64_t i = first; i < last; ++i) past |= (unsigned{index[i] >= limit} & unsigned{flag[i] != 0}) != 0;
    if (!past) continue;
    std::uint64_t i = first;
    while (index[i] < limit || (flags.size() != 0 && flag[i] == 0)) ++i;
    throw error(fault::bad_argument, name,
                "index " + std::to_string(i) + " is " + std::to_string(index[i]) + ", past the end of " +
                    std::to_string(limit) + " elements",
                "give indices below the number of elements");
  }
}

}  // namespace

void require_indices_below(const context& where, const char* name, operand<const std::uint64_t> indices,
                           operand<const std::uint8_t> flags, std::uint64_t limit) {
  require_below(where, name, indices, flags, limit);
}
void require_indices_below(const context& where, const char* name, operand<const std::uint32_t> indices,
                           operand<const std::uint8_t> flags, std::uint64_t limit) {
  require_below(where, name, indices, flags, limit);
}

void require_sum(const context& where, operand<const std::uint64_t> lengths, std::uint64_t size) {
  const readable<std::uint64_t> length(where, lengths);
  std::uint64_t sum = 0;
  bool more = false;
  for (std::uint64_t i = 0; i < lengths.size(); ++i) more = __builtin_add_overflow(sum, length[i], &sum) || more;
  if (more || sum != size)
    throw error(fault::bad_argument, "run_length_decode",
                "the lengths add up to " + (more ? std::string("more than 2^64") : std::to_string(sum)) +
                    " and the output has " + std::to_string(size) + " elements",
                "give an output of exactly that size");
}

}  // namespace upsweep::detail::select_impl
