#include "cli/bench/calls.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "cli/report/figures.hpp"
#include "upsweep/histogram.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/select.hpp"
#include "upsweep/sort.hpp"

namespace bench {

namespace {

constexpr std::array<std::uint32_t, 4> elements{3, 1, 2, 4};

// Batches of calls, long enough for the clock; a device's queue is emptied between them, off the clock.
template <class Call>
statistics time_call(const upsweep::context& where, Call call) {
  const bool cpu = where.kind() == upsweep::backend::cpu;
  const int batches = cpu ? 60 : 20, calls = cpu ? 2000 : 50;
  for (int i = 0; i < calls; ++i) call();
  where.synchronize();
  std::vector<double> seconds;
  for (int b = 0; b < batches; ++b) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls);
    where.synchronize();
  }
  return summarize(seconds);
}

}  // namespace

std::vector<timed_call> time_calls(const upsweep::context& where, const std::vector<std::string>& primitives) {
  upsweep::buffer<std::uint32_t> in(where, elements), out(where, elements.size());
  upsweep::buffer<std::uint64_t> counts(where, 8), count(where, 1);
  const auto x = in.span();
  std::vector<timed_call> all;
  // Measures a call that must read and write `bytes`, and compares its output with `wanted`.
  const auto row = [&](const char* primitive, std::uint64_t bytes, const auto& output, const auto& wanted, auto call) {
    if (!primitives.empty() && std::ranges::count(primitives, primitive) == 0) return;
    all.push_back({primitive, elements.size(), bytes, time_call(where, call)});
    const auto left = output.download();
    if (!std::equal(wanted.begin(), wanted.end(), left.begin()))
      throw upsweep::error(upsweep::fault::device_failure, std::string("bench ") + primitive,
                           "a call on four elements gave a wrong answer", "run `upsweep check`");
  };
  using u32s = std::vector<std::uint32_t>;
  const std::uint64_t size = sizeof elements;
  row("reduce", size, out, u32s{10}, [&] { upsweep::reduce(where, x, out.span().subspan(0, 1)); });
  row("scan", 2 * size, out, u32s{0, 3, 4, 6}, [&] { upsweep::exclusive_scan(where, x, out.span()); });
  row("sort", 2 * size, out, u32s{1, 2, 3, 4}, [&] { upsweep::sort(where, x, out.span()); });
  row("select", size + size / 2, out, u32s{3, 4},
      [&] { upsweep::copy_if(where, x, out.span(), count.span(), upsweep::greater_than(2u)); });
  row("histogram", size, counts, std::vector<std::uint64_t>{0, 1, 1, 1, 1, 0, 0, 0},
      [&] { upsweep::histogram(where, x, counts.span(), 0, 8); });
  return all;
}

void print(const upsweep::context& where, const std::vector<timed_call>& all) {
  if (all.empty()) return;
  fmt::print("\na call on {} elements, {} · {}\n", elements.size(),
             where.kind() == upsweep::backend::cpu ? "done" : "enqueued", where.name());
  for (const timed_call& c : all)
    fmt::print("  {} {}  ({} – {})\n", figures::left(c.primitive, 12),
               figures::right(figures::time_text(c.seconds.median), 9), figures::time_text(c.seconds.p10),
               figures::time_text(c.seconds.p90));
}

void append_json(const upsweep::context& where, const std::vector<timed_call>& all, nlohmann::ordered_json& rows) {
  for (const timed_call& c : all)
    rows.push_back({{"who", std::string(c.primitive) + ", the call"},
                    {"peer", false},
                    {"chosen", true},
                    {"device", where.name()},
                    {"primitive", c.primitive},
                    {"inclusive", false},
                    {"type", "u32"},
                    {"op", "plus"},
                    {"form", std::string(c.primitive) + ", a call"},
                    {"input", "uniform"},
                    {"n", c.n},
                    {"mode", "call"},
                    {"cache", "hot"},
                    {"median_s", c.seconds.median},
                    {"p10_s", c.seconds.p10},
                    {"p90_s", c.seconds.p90},
                    {"fastest_s", c.seconds.fastest},
                    {"samples", c.seconds.samples},
                    {"bytes", c.bytes},
                    {"bytes_per_s", static_cast<double>(c.bytes) / c.seconds.median},
                    {"elements_per_s", static_cast<double>(c.n) / c.seconds.median},
                    {"checked", true},
                    {"error", 0.0},
                    {"inaccurate", false}});
}

}  // namespace bench
