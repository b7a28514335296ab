// Checks of equal sizes and of the capacity of outputs, with the same messages in every call.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "upsweep/error.hpp"

namespace upsweep::core {

// Throws fault::bad_argument if a != b. The first # in the sentence is replaced by a, the second by b: "the keys have #
// elements and the values #".
void require_same_size(const char* where, const char* sentence, std::uint64_t a, std::uint64_t b,
                       const char* remedy = "give both the same size");

// Throws fault::bad_argument if there < needed. Only then calls sentence().
template <std::invocable Sentence>
void require_capacity(const char* where, std::uint64_t there, std::uint64_t needed, Sentence sentence,
                      const char* remedy) {
  if (there < needed) core::throw_error(error(fault::bad_argument, where, sentence(), remedy));
}
// require_capacity for outputs, with the message "the keys' output has 9 elements and 10 may be written; give it that
// many".
void require_capacity(const char* where, const char* what, std::uint64_t there, std::uint64_t needed);

}  // namespace upsweep::core
