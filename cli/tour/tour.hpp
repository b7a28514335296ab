// The tour's parts: tasks that a C++ programmer has, what C++ brings for them, and the same by this library, timed side
// by side.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "upsweep/context.hpp"

namespace tour {

// One way to do a task. `ready` is not timed; `wrong` says what is wrong with the answer that the last run left, or
// nothing.
struct way {
  std::string name;
  std::function<void()> ready, run;
  std::function<std::string()> wrong;
};

// A task with its data. `ours` may throw fault::unsupported; with `there` the data is in device memory before and after
// the call. An alternative without `run` does not exist.
struct instance {
  std::vector<way> theirs;
  std::function<way(const upsweep::context&, bool there)> ours;
};

struct task {
  std::string name, call;    // "sort", "upsweep::sort"
  std::string data, unit;    // "u32 keys", "keys"
  std::uint64_t bytes_each;  // of host memory that a unit takes, all sides together
  std::function<std::uint64_t(std::uint64_t)>
      fitted;  // the size of the task that is nearest to the requested one; empty: the requested size
  std::function<instance(std::uint64_t)> make;
};

std::vector<task> array_tasks();   // sums, sorts, selections, counts
std::vector<task> shaped_tasks();  // text, signals, pictures, bodies

inline constexpr std::size_t size_count = 3;  // small, middle, large

struct timed {
  std::string name = {}, wrong = {};  // wrong: what is wrong with the answer; or why it could not be had
  bool missing = false;               // this device does not have it
  bool there = false;                 // data in the device's memory
  double median = 0, fastest = 0;
  int samples = 0;
};

struct row {
  std::uint64_t n = 0;
  std::vector<timed> theirs,
      ours;  // ours: for each device its way from host memory, or on a GPU the resident one and then that
  const timed& best() const;  // of theirs
  double ratio(const timed& t) const { return t.median > 0 ? best().median / t.median : 0; }
};

struct result {
  const task* what;
  std::array<row, size_count> rows;
  double seconds = 0;  // all of it: the data, the reference, the runs
};

struct effort {
  double seconds = 0.12;  // for a task at a size, all its ways together
  int fewest = 3, most = 41;
  std::array<std::uint64_t, size_count> sizes{10'000, 1'000'000, 20'000'000};
};

// Which of theirs are tried: those that were not far behind at the size before.
row measure(const instance&, std::uint64_t n, const std::vector<upsweep::context>&, const effort&, const row* before);

std::string page(const nlohmann::ordered_json& figures);

}  // namespace tour
