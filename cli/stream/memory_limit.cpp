#include "cli/stream/memory_limit.hpp"

#include <algorithm>
#include <fstream>

#include "cli/options.hpp"

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

std::uint64_t free_on_machine() {
  std::ifstream info("/proc/meminfo");
  for (std::string word; info >> word;)
    if (std::uint64_t kibibytes; word == "MemAvailable:" && info >> kibibytes) return kibibytes << 10;
  return 1024 * mebibyte;
}

// A container's own bound, where there is one. What it has in use is largely pages of files, which are given up when
// asked for.
std::uint64_t free_in_container(std::uint64_t otherwise) {
  std::uint64_t most = 0, used = 0;
  if (!(std::ifstream("/sys/fs/cgroup/memory.max") >> most)) return otherwise;
  std::ifstream("/sys/fs/cgroup/memory.current") >> used;
  return std::min(otherwise, std::max(most / 4, most - std::min(most, used)));
}

}  // namespace

std::uint64_t memory_limit(const std::string& option) {
  if (!option.empty()) return std::max<std::uint64_t>(bytes_of_text("--memory", option), mebibyte / 16);
  return std::max(free_in_container(free_on_machine()) / 2, 64 * mebibyte);
}
