// The result of a command as one JSON object on standard output, with --json. Messages then go to standard error, and
// standard output holds nothing else.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace answer {

void want(const std::string& command);
bool wanted();

// Its fields so far; "command" is the first.
nlohmann::ordered_json& fields();
// A file that was written: an entry of "outputs".
void wrote(const std::string& path, std::uint64_t bytes);
// A number of the elements' type: JSON has no NaN and no infinity; they go as text.
nlohmann::ordered_json number(double);

// A line of its own on standard output; or this field.
template <class T>
void tell(const char* field, const T& value) {
  wanted() ? void(fields()[field] = value) : fmt::print("{}\n", value);
}

// A field that may be longer than memory: its items, as JSON, are printed as they arrive, before all other fields
// except "command".
class long_array {
 public:
  explicit long_array(const char* field);
  void add(std::string_view items, std::uint64_t count);  // parted by commas
  void end();

 private:
  std::uint64_t count_ = 0;
};

// Prints the object if --json was given.
void finish();

}  // namespace answer
