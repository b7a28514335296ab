// Where runs of equal keys end, as a function of the keys' type alone: what folds values is then compiled once for all
// key types.
#pragma once

#include <cstdint>

#include "upsweep/types.hpp"

namespace upsweep::detail::segmented_impl {

// The first i in (begin, n) whose key is not equal to the one before, or n. A NaN is a run by itself.
using find_end_of_run = std::uint64_t (*)(const void* keys, std::uint64_t begin, std::uint64_t n);

inline find_end_of_run find_key_runs(dtype keys) {
  return with_any_type(keys, []<class K>(type_tag<K>) -> find_end_of_run {
    return [](const void* of_type, std::uint64_t begin, std::uint64_t n) {
      const K* key = static_cast<const K*>(of_type);
      std::uint64_t end = begin + 1;
      while (end < n && key[end] == key[end - 1]) ++end;
      return end;
    };
  });
}

}  // namespace upsweep::detail::segmented_impl
