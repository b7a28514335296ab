#include "upsweep/cpu/cpu_device.hpp"

#include <oneapi/tbb/global_control.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>

#include "upsweep/core/host_limits.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/cpu/simd_dispatch.hpp"
#include "upsweep/memory.hpp"

namespace upsweep::cpu {

namespace {

int usable_threads() { return oneapi::tbb::this_task_arena::max_concurrency(); }

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "CPU";
}

// MemAvailable includes memory that the page cache would release; MemFree does not.
std::uint64_t available_on_the_machine() {
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("MemAvailable:")) return std::strtoull(line.c_str() + 13, nullptr, 10) * 1024;
  return static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

std::uint64_t available_bytes() { return std::min(available_on_the_machine(), core::least_host_limit().free); }

// Large allocations request pages of 2 MiB, where the system supports them: a scatter to many places then has fewer TLB
// misses.
constexpr std::uint64_t huge_page = std::uint64_t{1} << 21;

void* aligned(std::uint64_t bytes) {
  const std::uint64_t boundary = bytes >= 2 * huge_page ? huge_page : 256;
  const std::uint64_t rounded = (bytes + boundary - 1) / boundary * boundary;
  void* base = std::aligned_alloc(boundary, rounded);
#if defined(MADV_HUGEPAGE)
  if (base && boundary == huge_page)
    madvise(base, rounded, MADV_HUGEPAGE);  // an optimisation; the result does not depend on it
#endif
  return base;
}

// oneTBB applies the lowest of the limits that are set, and warns on standard error if an arena requests more threads.
// Therefore all contexts share one limit, that of the context with the most threads.
class common_limit {
 public:
  void add(int threads) {
    const std::lock_guard held(lock_);
    const auto mine = asked_.insert(threads);
    try {
      set();
    } catch (...) {
      asked_.erase(mine);
      throw;
    }
  }
  // If there is no memory for a lower limit, the higher one remains until the next change.
  void remove(int threads) noexcept {
    const std::lock_guard held(lock_);
    asked_.erase(asked_.find(threads));
    try {
      set();
    } catch (const std::bad_alloc&) {
    }
  }

 private:
  void set() {
    const int most = asked_.empty() ? 0 : *asked_.rbegin();
    if (most == most_) return;
    std::unique_ptr<oneapi::tbb::global_control> next;
    if (most != 0)
      next = std::make_unique<oneapi::tbb::global_control>(oneapi::tbb::global_control::max_allowed_parallelism, most);
    limit_ = std::move(next);
    most_ = most;
  }

  std::mutex lock_;
  std::multiset<int> asked_;
  std::unique_ptr<oneapi::tbb::global_control> limit_;
  int most_ = 0;
};

// Never destroyed, because contexts with static storage are destroyed at the program's end in any order.
common_limit& limit_of_all() {
  static common_limit& all = *new common_limit;
  return all;
}

}  // namespace

more_threads::more_threads(int threads) : threads_(threads) { limit_of_all().add(threads); }
more_threads::~more_threads() { limit_of_all().remove(threads_); }

device::device(int threads)
    : upsweep::device(backend::cpu),
      threads_(threads > 0 ? threads : usable_threads()),
      arena_(std::make_shared<oneapi::tbb::task_arena>(threads_)) {
  owner_ = core::owned_by_cpu;
  if (threads_ > usable_threads()) more_threads_.emplace(threads_);
}

device::device(const device& opened, const stream_and_memory& given)
    : upsweep::device(backend::cpu, given), threads_(opened.threads_), arena_(opened.arena_) {
  owner_ = core::owned_by_cpu;
}

std::shared_ptr<upsweep::device> device::make_with(const stream_and_memory& given) {
  if (given.stream)
    throw error(fault::unsupported, "context::with",
                "a CPU context has no stream: its calls complete before they return", "leave .stream out");
  return std::make_shared<device>(*this, given);
}

std::string device::description() const {
  const std::string_view asked = instructions_asked();
  return processor_name() + ", " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads") +
         (asked.empty() ? "" : ", UPSWEEP_INSTRUCTIONS=" + std::string(asked));
}

std::uint64_t device::total_memory() const {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

std::uint64_t device::free_memory() const {
  return given().resource ? std::min(available_bytes(), given().resource->free_bytes()) : available_bytes();
}

memory device::allocate(std::uint64_t bytes) {
  if (bytes == 0) return {};
  if (given().resource) return from_resource(bytes);
  // Linux grants more memory than it, or a container, has, and kills the process later. So a request that cannot be
  // satisfied is rejected here. Small requests skip the check of the limits.
  constexpr std::uint64_t large = std::uint64_t{64} << 20;
  const auto attempt = [&]() -> void* {
    if (bytes > total_memory() || (bytes >= large && bytes > core::least_host_limit().free)) return nullptr;
    return aligned(bytes);
  };
  void* base = attempt();
  if (!base && release_idle_scratch(false) != 0) base = attempt();
  if (!base)
    throw error(fault::out_of_memory, "cpu",
                std::to_string(bytes) + " bytes were requested and " + std::to_string(free_memory()) + " are free" +
                    core::said_of_host_limit(bytes),
                "work on fewer elements at a time");
  return {base, 0, owner()};
}

void device::deallocate(memory m) noexcept { given().resource ? to_resource(m) : std::free(m.base); }

void device::upload(memory to, const void* from, std::uint64_t bytes) { std::memcpy(to.address(), from, bytes); }
void device::download(void* to, memory from, std::uint64_t bytes) { std::memcpy(to, from.address(), bytes); }
void device::copy(memory to, memory from, std::uint64_t bytes) { std::memmove(to.address(), from.address(), bytes); }
void device::fill(memory to, unsigned char byte, std::uint64_t bytes) {
  // All threads fill pieces, and poll for cancellation between them: new memory has no pages yet, and allocating the
  // pages takes longer than the work on them.
  constexpr std::uint64_t piece = 4 * huge_page;
  char* const begin = to.as<char>();
  if (bytes <= piece) return void(std::memset(begin, byte, bytes));
  for_each_block(*this, block_count(bytes, piece), [&](std::uint64_t b, const stop_flag&) {
    std::memset(begin + b * piece, byte, std::min(piece, bytes - b * piece));
  });
}

double device::seconds(const std::function<void()>& enqueue) {
  const auto start = std::chrono::steady_clock::now();
  enqueue();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::shared_ptr<upsweep::device> open_device(int threads) {
  if (threads < 0 || threads > 4096)
    throw error(fault::bad_argument, "context::cpu", std::to_string(threads) + " threads were requested",
                "give 1 to 4096, or 0 for all");
  instructions_asked();  // throws for an unknown instruction set before the first call
  return std::make_shared<device>(threads);
}

void list_devices(std::vector<device_listing>& all) {
  const device d(0);
  all.push_back({backend::cpu, "cpu", d.description(), true, d.total_memory()});
}

}  // namespace upsweep::cpu
