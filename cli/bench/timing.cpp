#include "cli/bench/timing.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <chrono>
#include <cmath>

#include "upsweep/cpu/block_partition.hpp"

using upsweep::backend;
using upsweep::memory;
using upsweep::problem;

namespace {

using clock_type = std::chrono::steady_clock;

double since(clock_type::time_point start) { return std::chrono::duration<double>(clock_type::now() - start).count(); }

double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

#if defined(__x86_64__)
constexpr bool flushes_lines = true;
// By the calling thread alone, unless that takes too long: a parallel loop would wake the threads that oneTBB's users
// need.
void flush_lines(const void* from, std::uint64_t bytes) {
  constexpr std::uint64_t line = 64, alone = std::uint64_t{1} << 20;
  const char* begin = static_cast<const char*>(from);
  const std::uint64_t lines = (bytes + line - 1) / line;
  const auto flush = [=](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) _mm_clflush(begin + i * line);
  };
  if (lines <= alone)
    flush(0, lines);
  else
    upsweep::cpu::for_each_piece(lines, 1 << 16, flush);
  // The flushes are done before the clock is read.
  _mm_mfence();
}
#else
constexpr bool flushes_lines = false;
void flush_lines(const void*, std::uint64_t) {}
#endif

}  // namespace

statistics summarize(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  return {percentile(seconds, 0.5), percentile(seconds, 0.1), percentile(seconds, 0.9), seconds.front(),
          static_cast<int>(seconds.size())};
}

void sample_in_turn(std::vector<timed>& all, const effort& e) {
  std::vector<double> spent(all.size(), 0.0);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int taken = static_cast<int>(all[i].seconds.size());
      const bool slow = taken > 0 && e.seconds > 0 && spent[i] >= 20 * e.seconds;
      if (taken >= e.at_most || slow || (taken >= e.at_least && spent[i] >= e.seconds)) continue;
      const auto start = clock_type::now();
      all[i].seconds.push_back(all[i].sample());
      spent[i] += since(start);
      more = true;
    }
  }
}

void settle(backend where) {
  if (where != backend::cpu) return;
  for (const auto start = clock_type::now(); since(start) < 1e-3;) {
  }
}

int calls_for(double seconds_of_one, backend where) {
  const double target = where == backend::cpu ? 50e-6 : 200e-6;
  return static_cast<int>(std::clamp(std::ceil(target / std::max(seconds_of_one, 1e-9)), 1.0, 2000.0));
}

evictor::evictor(upsweep::device& d) : device_(d) {
  if (d.kind() != backend::cpu || !flushes_lines) other_ = d.allocate(written_bytes);
}

evictor::~evictor() {
  if (other_.base) device_.deallocate(other_);
}

void evictor::operator()(const std::vector<operand>& operands) {
  if (other_.base) return device_.fill(other_, ++byte_, written_bytes);
  for (const operand& o : operands) flush_lines(o.where.address(), o.bytes);
  settle(backend::cpu);
}

void evictor::operator()(const problem& p, const std::vector<upsweep::array>& arrays) {
  std::vector<operand> operands;
  for (const upsweep::array& a : arrays) operands.push_back({a.slot(p), a.bytes()});
  (*this)(operands);
}
