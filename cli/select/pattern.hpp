// POSIX extended regular expressions with \d \D \w \W \s \S \b, on bytes; `.` also matches a line break.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

class pattern {
 public:
  // The error of the pattern; std::nullopt if it is valid.
  static std::optional<std::string> fault_of(const std::string& text);
  explicit pattern(const std::string& text);  // of one without a fault
  // Whether any part of the text is as the pattern says.
  bool found_in(std::string_view text) const;

 private:
  struct compiled;
  std::shared_ptr<const compiled> compiled_;
};
