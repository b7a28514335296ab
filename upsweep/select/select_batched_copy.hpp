// Many pieces copied at once: what pieces.hpp's forms end in.
#pragma once

#include <ranges>

#include "upsweep/select/cpu/select_cpu_batched_copy.hpp"
#include "upsweep/select/select_dispatch.hpp"

namespace upsweep::detail::select_impl {
inline namespace UPSWEEP_COMPILED {

// Requires every piece to be within its n elements; `what` names them.
inline void require_pieces_within(const char* call, const context& where, const char* what,
                                  operand<const std::uint64_t> starts, operand<const std::uint64_t> lengths,
                                  std::uint64_t n) {
  const readable<std::uint64_t> start(where, starts), length(where, lengths);
  for (std::uint64_t p = 0; p < lengths.size(); ++p)
    if (start[p] > n || length[p] > n - start[p])
      core::throw_error(error(fault::bad_argument, call,
                              "piece " + std::to_string(p) + " has " + std::to_string(length[p]) + " elements from " +
                                  std::to_string(start[p]) + " on, past the end of " + what + " of " +
                                  std::to_string(n),
                              "give pieces inside it"));
}

// `following`: piece by piece, filling the output.
template <class By, class T>
void batched_copy(const char* call, const context& where, operand<const T> in, operand<const std::uint64_t> starts,
                  operand<const std::uint64_t> lengths, operand<T> out, operand<const std::uint64_t> places,
                  bool following) {
  require_same_size(call, "there are # starts and # lengths", starts.size(), lengths.size());
  if (!following) require_same_size(call, "there are # places and # lengths", places.size(), lengths.size());
  require_no_overlap(call, where,
                     {{"the input", in},
                      {"the output", out},
                      {"the starts", starts},
                      {"the lengths", lengths},
                      {"the places", places}});
  if (detail::select_impl::contents_are_looked_at(where, lengths)) {
    detail::select_impl::require_pieces_within(call, where, "an input", starts, lengths, in.size());
    if (!following) {
      detail::select_impl::require_pieces_within(call, where, "an output", places, lengths, out.size());
    } else {
      const readable<std::uint64_t> length(where, lengths);
      std::uint64_t sum = 0;
      for (std::uint64_t p = 0; p < lengths.size(); ++p) sum += length[p];
      require_same_size(call, "the pieces have # elements and the output #", sum, out.size());
    }
  }
  const std::uint64_t n = lengths.size();
  if constexpr (constexpr auto type = bitwise_type<T>()) {
    problem p;
    p.what = primitive::batched_copy, p.type = *type, p.n = n, p.m = out.size();
    p.in = in.where(), p.in2 = starts.where(), p.in3 = lengths.where(), p.out = out.where();
    if (!following) p.in4 = places.where();
    if (n != 0 && out.size() != 0) detail::select_impl::run(where, p);
  } else if (where.kind() == backend::cpu) {
    cpu::batched_copy(
        where.device(), lengths.data(), n, [&](std::uint64_t p, std::uint64_t) { return in.data() + starts[p]; },
        [&](std::uint64_t p, std::uint64_t first) { return out.data() + (following ? first : places[p]); });
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    core::throw_error(needs_trivial_copies(call, where.kind()));
  } else {
    if (where.kind() == backend::opencl) core::throw_error(needs_builtin_on_opencl(call, "a type"));
#if defined(__CUDACC__)
    const cuda::piece_starts<T> all{in.data(), out.data(), starts.data(), following ? nullptr : places.data()};
    cuda::batched_copy(cuda::of(where.device()), all, lengths.data(), n, out.size());
#else
    core::throw_error(needs_nvcc("select", call));
#endif
  }
}

template <class By, class Source, class T>
void copy_batched(const context& where, operand<const Source> sources, operand<T* const> destinations,
                  operand<const std::uint64_t> lengths) {
  const char* const call = "copy_batched";
  static_assert(std::is_same_v<std::remove_const_t<std::remove_pointer_t<Source>>, T>,
                "upsweep: elements are copied without conversion; give both sides addresses of one type");
  require_same_size(call, "there are # sources and # lengths", sources.size(), lengths.size());
  require_same_size(call, "there are # destinations and # lengths", destinations.size(), lengths.size());
  const std::uint64_t n = lengths.size();
  if (where.kind() == backend::cpu) {
    cpu::batched_copy(
        where.device(), lengths.data(), n, [&](std::uint64_t p, std::uint64_t) { return sources[p]; },
        [&](std::uint64_t p, std::uint64_t) { return destinations[p]; });
  } else if constexpr (!std::is_trivially_copyable_v<T>) {
    core::throw_error(needs_trivial_copies(call, where.kind()));
  } else {
    if (where.kind() == backend::opencl)
      core::throw_error(
          error(fault::unsupported, call, "OpenCL has no addresses", "give batched_copy offsets into two buffers"));
#if defined(__CUDACC__)
    const cuda::piece_addresses<T> all{const_cast<const T* const*>(sources.data()), destinations.data()};
    cuda::batched_copy(cuda::of(where.device()), all, lengths.data(), n, ~std::uint64_t{0});
#else
    core::throw_error(needs_nvcc("select", call));
#endif
  }
}

}  // namespace UPSWEEP_COMPILED

// Ranges of a range, in host memory.
template <class T>
class pieces_of_ranges {
 public:
  template <class R>
  explicit pieces_of_ranges(const R& ranges) {
    for (const auto& r : ranges) {
      firsts_.push_back(std::ranges::data(r));
      lengths_.push_back(std::ranges::size(r));
      total_ += lengths_.back();
    }
  }
  std::uint64_t total() const { return total_; }
  void copy_to(const context& where, T* out) const {
    cpu::batched_copy(
        where.device(), lengths_.data(), lengths_.size(), [&](std::uint64_t p, std::uint64_t) { return firsts_[p]; },
        [&](std::uint64_t, std::uint64_t first) { return out + first; });
  }

 private:
  std::vector<const T*> firsts_;
  std::vector<std::uint64_t> lengths_;
  std::uint64_t total_ = 0;
};

}  // namespace upsweep::detail::select_impl
