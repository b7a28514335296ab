// Which devices a test runs on: the CPU with one and with several threads, and every usable CUDA and OpenCL device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "upsweep/context.hpp"

namespace upsweep::tests {

inline std::vector<std::string> device_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"cpu:1", "cpu:3"};
    for (const device_listing& d : list_devices())
      if (d.usable) all.push_back(d.name);
    return all;
  }();
  return names;
}

// One context for each device and process, so that kernels are compiled and temporary storage is allocated once.
inline const context& on(const std::string& name) {
  static std::map<std::string, context> open;
  const auto it = open.find(name);
  return it != open.end() ? it->second : open.emplace(name, context::named(name)).first->second;
}

inline std::string safe(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

struct on_each_device : testing::TestWithParam<std::string> {
  const context& where() const { return on(GetParam()); }
};

inline std::string device_label(const testing::TestParamInfo<std::string>& info) { return safe(info.param); }

// Expects an upsweep::error of that kind whose message holds every piece.
template <class Call>
void expect_error(fault why, std::vector<std::string> pieces, Call call) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const error& e) {
    EXPECT_EQ(e.why(), why) << e.what();
    for (const std::string& piece : pieces)
      EXPECT_NE(std::string(e.what()).find(piece), std::string::npos) << "'" << piece << "' is not in: " << e.what();
  }
}

// The first n elements. By reference: if the call that fills them also returns n, they are read after the call.
template <class T>
std::vector<T> first_of(const std::vector<T>& all, std::uint64_t n) {
  EXPECT_LE(n, all.size());
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(n, all.size()))};
}

}  // namespace upsweep::tests
