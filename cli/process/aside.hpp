// What is said on standard error beside a command's work.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <utility>

// Lost where standard error is closed or full; fmt::print would throw there, and the work be lost, too.
template <class... T>
void say_aside(fmt::format_string<T...> form, T&&... values) {
  const std::string said = fmt::format(form, std::forward<T>(values)...);
  std::fwrite(said.data(), 1, said.size(), stderr);
}
