#include "upsweep/communicator/communicator_process_alive.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace upsweep {

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Fields of /proc/N/stat: "N (name) state ..."; the 22nd is the start time. The name may contain any character.
struct seen {
  char state = 0;  // 0: there is no such process
  std::uint64_t began = 0;
};
seen look_at(std::uint64_t number) {
  const std::string text = text_of("/proc/" + std::to_string(number) + "/stat");
  const auto name_ends = text.rfind(')');
  if (name_ends == std::string::npos) return {};
  std::istringstream fields(text.substr(name_ends + 1));
  seen one;
  fields >> one.state;
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  fields >> one.began;
  return one;
}

std::uint64_t this_host() {
  struct stat numbers{};
  const std::string boot = text_of("/proc/sys/kernel/random/boot_id");
  if (boot.empty() || stat("/proc/self/ns/pid", &numbers) != 0) return 0;  // unknown: is_there returns true
  std::uint64_t h = numbers.st_ino + 0x9e3779b97f4a7c15u;
  for (const char c : boot) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

}  // namespace

running_process this_process() {
  const auto number = static_cast<std::uint64_t>(getpid());
  return {number, look_at(number).began, this_host()};
}

bool is_there(const running_process& p) {
  static const std::uint64_t here = this_host();
  if (here == 0 || p.host != here || p.began == 0) return true;
  const seen now = look_at(p.number);
  return now.state != 0 && now.state != 'Z' && now.state != 'X' && now.began == p.began;
}

}  // namespace upsweep
