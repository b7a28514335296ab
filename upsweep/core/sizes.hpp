// Sizes that have to agree, and room for what is written: every call asks in these words.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "upsweep/error.hpp"

namespace upsweep::core {

// Throws fault::bad_argument where a != b. In the sentence # stands for a, and then for b: "the keys have # elements
// and the values #".
void require_same_size(const char* where, const char* sentence, std::uint64_t a, std::uint64_t b,
                       const char* remedy = "give both the same size");

// Throws fault::bad_argument where there is less than is needed. The sentence is made only then.
template <std::invocable Sentence>
void require_room(const char* where, std::uint64_t there, std::uint64_t needed, Sentence sentence, const char* remedy) {
  if (there < needed) throw error(fault::bad_argument, where, sentence(), remedy);
}
// ... of an output: "the keys' output has 9 elements and 10 may be written; give it that many".
void require_room(const char* where, const char* what, std::uint64_t there, std::uint64_t needed);

}  // namespace upsweep::core
