#include "cli/report/provenance.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <string_view>

#include "upsweep/context.hpp"
#include "upsweep_commit.hpp"

namespace {

std::string value_in(const char* file, const std::string& key, const std::string& separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key))
      if (const auto at = line.find(separator); at != std::string::npos) {
        std::string value = line.substr(at + separator.size());
        if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
        return value;
      }
  return {};
}

std::string compiler() {
#if defined(__clang__)
  return std::string("clang ") + __clang_version__;
#elif defined(__GNUC__)
  return std::string("gcc ") + __VERSION__;
#else
  return "unknown";
#endif
}

std::string date_in_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

nlohmann::json provenance() {
  utsname kernel{};
  uname(&kernel);
  nlohmann::json devices = nlohmann::json::array();
  for (const upsweep::device_listing& d : upsweep::list_devices())
    devices.push_back({{"name", d.name},
                       {"backend", upsweep::name_of(d.kind)},
                       {"description", d.description},
                       {"usable", d.usable},
                       {"memory_bytes", d.total_memory}});
  // The host's own name is left out on purpose: a result says what hardware it is from, not whose.
  return {{"version", UPSWEEP_VERSION},
          {"commit", UPSWEEP_COMMIT},
          {"uncommitted_changes", UPSWEEP_COMMIT_DIRTY},
          {"compiler", compiler()},
          {"flags", UPSWEEP_FLAGS},
          {"cuda_compiler", UPSWEEP_CUDA_COMPILER},
          {"date", date_in_utc()},
          {"cpu", value_in("/proc/cpuinfo", "model name", ": ")},
          {"cores", sysconf(_SC_NPROCESSORS_ONLN)},
          {"memory_bytes",
           static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))},
          {"os", value_in("/etc/os-release", "PRETTY_NAME=", "=")},
          {"kernel", std::string(kernel.sysname) + " " + kernel.release + " " + kernel.machine},
          {"devices", devices}};
}

std::string upsweep_version() {
  const std::string_view commit = UPSWEEP_COMMIT;
  if (commit == "unknown") return UPSWEEP_VERSION;
  return fmt::format("{} (commit {}{})", UPSWEEP_VERSION, commit.substr(0, 12),
                     UPSWEEP_COMMIT_DIRTY ? ", changed since" : "");
}
