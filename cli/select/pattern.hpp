// Regular expressions on text: POSIX extended ones, with \d \D \w \W \s \S \b, on bytes; `.` takes no line apart.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

class pattern {
 public:
  // What is wrong with it, in words, where it is none.
  static std::optional<std::string> fault_of(const std::string& text);
  explicit pattern(const std::string& text);  // of one without a fault
  // Whether any part of the text is as the pattern says.
  bool found_in(std::string_view text) const;

 private:
  struct compiled;
  std::shared_ptr<const compiled> compiled_;
};
