// A context of C's for tests, with memory that goes with it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "upsweep.h"

struct closes {
  void operator()(upsweep_context* c) const { upsweep_close(c); }
};
using context = std::unique_ptr<upsweep_context, closes>;

inline context open_device(const char* name) {
  upsweep_context* c = nullptr;
  EXPECT_EQ(upsweep_open(name, &c), UPSWEEP_OK) << upsweep_last_message();
  return context(c);
}

// Whether a device of that name answers.
inline bool usable_device(const std::string& name) {
  if (name.starts_with("cpu")) return true;
  upsweep_device all[16];
  std::size_t count = 0;
  EXPECT_EQ(upsweep_devices(all, 16, &count), UPSWEEP_OK) << upsweep_last_message();
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 16); ++i)
    if (all[i].name == name) return all[i].usable;
  return false;
}

inline std::string device_label(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

// Tests of the device that the parameter names, left out where it does not answer.
class on_a_device : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!usable_device(GetParam())) GTEST_SKIP() << GetParam() << " is not here";
    held_ = open_device(GetParam());
    c = held_.get();
  }

  const upsweep_context* c = nullptr;

 private:
  context held_;
};

#define OK(call) ASSERT_EQ(call, UPSWEEP_OK) << upsweep_last_message()
#define REFUSED(call, status, part)                                                                         \
  do {                                                                                                      \
    EXPECT_EQ(call, status);                                                                                \
    EXPECT_NE(std::string(upsweep_last_message()).find(part), std::string::npos) << upsweep_last_message(); \
  } while (false)

// Elements in a context's memory.
template <class T>
class device_array {
 public:
  device_array(const upsweep_context* c, std::size_t n) : c_(c), n_(n) {
    EXPECT_EQ(upsweep_allocate(c, n * sizeof(T), &memory_), UPSWEEP_OK) << upsweep_last_message();
  }
  device_array(const upsweep_context* c, const std::vector<T>& x) : device_array(c, x.size()) { set(x); }
  device_array(const device_array&) = delete;
  ~device_array() { upsweep_deallocate(c_, memory_); }

  operator T*() const { return static_cast<T*>(memory_); }
  void set(const std::vector<T>& x) const {
    EXPECT_EQ(upsweep_upload(c_, memory_, x.data(), x.size() * sizeof(T)), UPSWEEP_OK) << upsweep_last_message();
  }
  std::vector<T> here(std::size_t n) const {
    std::vector<T> x(n);
    EXPECT_EQ(upsweep_download(c_, x.data(), memory_, n * sizeof(T)), UPSWEEP_OK) << upsweep_last_message();
    return x;
  }
  std::vector<T> here() const { return here(n_); }
  T one() const { return here(1)[0]; }

 private:
  const upsweep_context* c_;
  std::size_t n_;
  void* memory_ = nullptr;
};

template <class T>
std::vector<T> some(std::size_t n, int least, int most, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> number(least, most);
  std::vector<T> x(n);
  for (T& v : x) v = static_cast<T>(number(random));
  return x;
}
