// Outputs of the calls. The calls of this library write memory. For other outputs of Thrust (zip, permutation,
// transform and discard iterators, memory of another type) a call writes temporary memory and then assigns its
// elements.
#pragma once

#include <thrust/detail/raw_reference_cast.h>
#include <thrust/iterator/discard_iterator.h>

#include <optional>
#include <vector>

#include "upsweep/for_each.hpp"
#include "upsweep/thrust/iterators.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {
namespace thrust_calls {

// Assigns at(i) to element i of the output, converted to the type of the output as Thrust does.
template <class To, class At>
struct assigning {
  To to;
  At at;
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    const auto place = static_cast<typename std::iterator_traits<To>::difference_type>(i);
    using T = value_of<To>;
    if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<std::remove_cvref_t<decltype(at(i))>>) {
      *(to + place) = static_cast<T>(at(i));
    } else {
      *(to + place) = at(i);
    }
  }
};
template <class To, class At>
void assign(const context& where, std::uint64_t n, To to, At at) {
  upsweep::for_each_index(where, n, assigning<To, At>{to, at});
}

// n elements in memory of the context. On the CPU any type is allowed.
template <class T>
class set_aside {
 public:
  set_aside(const context& where, std::uint64_t n) : n_(n) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      memory_.emplace(where, n);
    } else {
      if (where.kind() != backend::cpu) core::throw_error(core::needs_trivial_copies("thrust", where.kind()));
      memory_.emplace(n);
    }
  }
  T* data() {
    if constexpr (std::is_trivially_copyable_v<T>) {
      return memory_->span().data();
    } else {
      return memory_->data();
    }
  }
  device_span<T> span() { return {data(), n_}; }

 private:
  std::optional<std::conditional_t<std::is_trivially_copyable_v<T>, buffer<T>, std::vector<T>>> memory_;
  std::uint64_t n_;
};

template <class It, class T>
inline constexpr bool is_memory_of = false;
template <class It, class T>
  requires contiguous<It>
inline constexpr bool is_memory_of<It, T> = std::same_as<value_of<It>, T>;

// The address range of an operand in memory; empty for any other.
struct reach {
  const std::byte* first = nullptr;
  std::uint64_t bytes = 0;

  bool meets(const reach& other) const {
    return bytes && other.bytes && first < other.first + other.bytes && other.first < first + bytes;
  }
};
template <class It>
reach reach_of(It first, std::uint64_t n) {
  if constexpr (contiguous<It>) {
    return {reinterpret_cast<const std::byte*>(thrust_calls::span(first, n).data()), n * sizeof(value_of<It>)};
  } else {
    return {};
  }
}

// Whether the range of an output, taken at its largest possible size, overlaps the count that the library writes.
inline bool over_count(const policy& p, const reach& written) {
  const auto count = core::counts_not_fetched(p.where);
  return written.meets({reinterpret_cast<const std::byte*>(count.data()), count.bytes()});
}

// n elements of type T for an output iterator, in its memory or in temporary memory. put() assigns the first `count` of
// them to the iterator and returns its end. A selection knows only n, but an output of Thrust may hold only the kept
// elements. So if n elements would overlap other memory, temporary memory is used, and the call reports no error. The
// constructor receives the address ranges that the output must not overlap.
template <class T, class It>
class output {
 public:
  output(const policy& p, It to, std::uint64_t n, bool aside = false) : where_(p.where), to_(to), n_(n) {
    if (!is_memory_of<It, T> || aside) aside_.emplace(where_, n);
  }
  template <class... Reach>
    requires(std::same_as<Reach, reach> && ...)
  output(const policy& p, It to, std::uint64_t n, const reach& beside, const Reach&... more)
      : output(p, to, n,
               thrust_calls::reach_of(to, n).meets(beside) || (thrust_calls::reach_of(to, n).meets(more) || ...) ||
                   thrust_calls::over_count(p, thrust_calls::reach_of(to, n))) {}
  device_span<T> span() {
    if constexpr (is_memory_of<It, T>)
      if (!aside_) return thrust_calls::span(to_, n_);
    return aside_->span();
  }
  It put(std::uint64_t count) {
    if constexpr (!is_memory_of<It, T>) {
      thrust_calls::assign(where_, count, to_, core::from_memory<T>{aside_->data()});
    } else if (aside_) {
      upsweep::copy(where_, aside_->span().subspan(0, count), thrust_calls::span(to_, count));
    }
    where_.synchronize();
    return thrust_calls::behind(to_, count);
  }
  It put() { return put(n_); }

 protected:
  context where_;
  It to_;
  std::uint64_t n_;
  std::optional<set_aside<T>> aside_;
};

// Whether both outputs of a selection use temporary memory. It is always both or none, because the temporary memory for
// one may be where n elements of the other would be.
template <class T, class U, class A, class B, class... Reach>
bool both_aside(const policy& p, A a, B b, std::uint64_t n, const Reach&... read) {
  if constexpr (is_memory_of<A, T> && is_memory_of<B, U>) {
    const reach x = thrust_calls::reach_of(a, n), y = thrust_calls::reach_of(b, n);
    return x.meets(y) || thrust_calls::over_count(p, x) || thrust_calls::over_count(p, y) || (x.meets(read) || ...) ||
           (y.meets(read) || ...);
  } else {
    return true;
  }
}

// An output of the iterator's value type if the iterator is memory, otherwise of type T.
template <class T, class It>
using output_or = output<std::conditional_t<contiguous<It>, value_of<It>, T>, It>;

// A sequence that a call modifies in place.
template <class It>
class changed : public output<value_of<It>, It> {
 public:
  changed(const policy& p, It first, std::uint64_t n) : output<value_of<It>, It>(p, first, n) {
    if constexpr (!is_memory_of<It, value_of<It>>)
      thrust_calls::assign(p.where, n, this->aside_->data(), element_at<It>{first});
  }
};

// An input that a call needs in memory as elements of type T.
template <class T, class It>
class laid_out {
 public:
  laid_out(const policy& p, It first, std::uint64_t n) : first_(first), n_(n) {
    if constexpr (!is_memory_of<It, T>) {
      aside_.emplace(p.where, n);
      thrust_calls::assign(p.where, n, aside_->data(), element_at<It>{first});
    }
  }
  device_span<const T> span() {
    if constexpr (is_memory_of<It, T>) {
      return thrust_calls::span(first_, n_);
    } else {
      return aside_->span();
    }
  }

 private:
  It first_;
  std::uint64_t n_;
  std::optional<set_aside<T>> aside_;
};

}  // namespace thrust_calls
}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
