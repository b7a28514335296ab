// Messages on standard error.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <utility>

// Ignores a closed or full standard error; fmt::print would throw, and the work would be lost.
template <class... T>
void print_message(fmt::format_string<T...> form, T&&... values) {
  const std::string said = fmt::format(form, std::forward<T>(values)...);
  std::fwrite(said.data(), 1, said.size(), stderr);
}
