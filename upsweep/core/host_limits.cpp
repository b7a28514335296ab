#include "upsweep/core/host_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

namespace upsweep::core {

namespace {

// The first word of a file as a number; nothing for "max".
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (wrong != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// The number after a key, as in "anon 1234".
std::optional<std::uint64_t> number_of(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  std::string word;
  for (std::uint64_t value = 0; file >> word >> value;)
    if (word == key) return value;
  return std::nullopt;
}

// Considers the memory limits of the process's control group and of the groups above it. Pages that the group cannot
// reclaim count as used.
void look_at_groups(host_limit& least, const std::string& root, std::string group, const char* limit, const char* key) {
  for (;;) {
    const std::string folder = root + (group == "/" ? "" : group) + "/";
    const auto most = number_in(folder + limit);
    if (most && *most < (std::uint64_t{1} << 62)) {
      const std::uint64_t used = number_of(folder + "memory.stat", key).value_or(0);
      const std::uint64_t free = used < *most ? *most - used : 0;
      if (free < least.free) least = {*most, free, "the container's memory limit (" + folder + limit + ")"};
    }
    const auto slash = group.rfind('/');
    if (slash == std::string::npos || group == "/") return;
    group = slash == 0 ? "/" : group.substr(0, slash);
  }
}

void look_at_groups(host_limit& least) {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string_view kinds = std::string_view(line).substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (kinds.empty())
      look_at_groups(least, "/sys/fs/cgroup", group, "memory.max", "anon");
    else if (kinds == "memory")
      look_at_groups(least, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", "total_rss");
  }
}

// Considers a resource limit. `field` selects the used pages in /proc/self/statm: the whole address space, or data with
// the stack.
void look_at(host_limit& least, int which, int field, const char* name) {
  rlimit most{};
  if (getrlimit(static_cast<decltype(RLIMIT_AS)>(which), &most) != 0 || most.rlim_cur == RLIM_INFINITY) return;
  std::ifstream pages("/proc/self/statm");
  std::uint64_t used = 0;
  for (int i = 0; i <= field; ++i) pages >> used;
  used = pages ? used * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
  const std::uint64_t free = used < most.rlim_cur ? most.rlim_cur - used : 0;
  if (free < least.free) least = {most.rlim_cur, free, name};
}

}  // namespace

host_limit least_host_limit() {
  host_limit least;
  look_at(least, RLIMIT_AS, 0, "RLIMIT_AS (ulimit -v)");
  look_at(least, RLIMIT_DATA, 5, "RLIMIT_DATA (ulimit -d)");
  look_at_groups(least);
  return least;
}

std::string said_of_host_limit(std::uint64_t wanted) {
  const host_limit least = least_host_limit();
  if (least.name.empty() || least.free >= wanted) return "";
  return "; " + least.name + " allows this process " + std::to_string(least.bytes) + " bytes, of which " +
         std::to_string(least.free) + " are left";
}

}  // namespace upsweep::core
