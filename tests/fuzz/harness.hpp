// Bytes from outside, given to one reader as the command gives them. tests/fuzz.sh makes up such bytes; every build
// replays those that are kept in corpus/, a folder for each harness.
//
// Right   the reader reads, and what a harness requires of that holds; or it refuses with an upsweep::error.
// Wrong   any other exception, a crash, more than 10 seconds, memory far beyond the input's size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

struct harness {
  std::string_view name;
  void (*take)(std::string_view bytes);
};
const std::vector<harness>& harnesses();  // by name

struct listed {
  listed(std::string_view name, void (*take)(std::string_view));
};

// Runs it; ends the program where something is wrong. Whether it was taken, and not refused.
bool give(const harness&, std::string_view bytes);

// Where it does not hold, the program ends with these words.
void require(bool holds, const char* what);

// The first bytes of an input may choose a form; nothing is taken of an empty one.
unsigned char take_byte(std::string_view& bytes);
std::string_view take_until(std::string_view& bytes, std::string_view mark);  // the mark goes with it

// A folder of this process alone, removed at its end, and a file in it.
const std::string& folder();
std::string file_of(const std::string& name, std::string_view bytes);
std::string bytes_of(const std::string& path);

// What a picture or a table may take.
inline constexpr std::size_t memory = 64 << 20;

}  // namespace fuzz

#define UPSWEEP_HARNESS(name)                                \
  static void take_##name(std::string_view bytes);           \
  static const fuzz::listed list_##name(#name, take_##name); \
  static void take_##name(std::string_view bytes)
