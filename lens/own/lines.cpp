#include "lens/own/lines.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

extern char** environ;

namespace upsweep::lens::own {

line_finder::~line_finder() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  if (child_ > 0) waitpid(child_, nullptr, 0);
}

bool line_finder::open(const std::string& object, std::string ours) {
  ours_ = std::move(ours);
  std::array<int, 2> in{}, out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0) return false;
  if (pipe2(out.data(), O_CLOEXEC) != 0) return close(in[0]), close(in[1]), false;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in[0], 0);
  posix_spawn_file_actions_adddup2(&files, out[1], 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  const char* words[]{"addr2line", "-i", "-f", "-C", "-e", object.c_str(), nullptr};
  const bool runs = posix_spawnp(&child_, "addr2line", &files, nullptr, const_cast<char* const*>(words), environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  close(in[0]), close(out[1]);
  to_ = in[1], from_ = out[0];
  if (!runs) child_ = -1;
  return runs;
}

std::string line_finder::read_line() {
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> some{};
    const ssize_t n = read(from_, some.data(), some.size());
    if (n <= 0) return {};
    unread_.append(some.data(), static_cast<std::size_t>(n));
  }
}

// The innermost function comes first, then those that it was inlined into. After the address itself, an address that is
// in no function is queried: its answer, two lines of question marks, marks the end.
source_line line_finder::find(std::uint64_t offset) {
  if (child_ < 0 || asking_) return {};
  asking_ = true;
  std::array<char, 64> question{};
  const int length =
      std::snprintf(question.data(), question.size(), "0x%llx\n0x0\n", static_cast<unsigned long long>(offset));
  const bool asked = write(to_, question.data(), static_cast<std::size_t>(length)) == length;
  source_line best;
  for (bool first = true; asked; first = false) {
    const std::string function = read_line(), place = read_line();
    if (place.empty()) break;
    if (function == "??" && place.starts_with("??:") && !first) break;
    const std::size_t colon = place.rfind(':');
    if (best.line != 0 || place.starts_with("??") || place.starts_with(ours_) || colon == std::string::npos) continue;
    best.line = static_cast<unsigned>(std::strtoul(place.c_str() + colon + 1, nullptr, 10));
    best.file = place.substr(0, colon), best.function = function;
  }
  asking_ = false;
  return best;
}

}  // namespace upsweep::lens::own
