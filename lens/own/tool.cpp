#include "lens/own/tool.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "upsweep/error.hpp"

extern char** environ;

namespace upsweep::lens::own {

namespace {

// The signals that a terminal interrupts with, ignored for as long as it lives.
struct without_interrupts {
  sigset_t signals;
  struct sigaction before[2];
  without_interrupts() {
    sigemptyset(&signals);
    struct sigaction ignored{};
    ignored.sa_handler = SIG_IGN;
    for (int i = 0; i < 2; ++i) {
      sigaddset(&signals, names[i]);
      sigaction(names[i], &ignored, &before[i]);
    }
  }
  ~without_interrupts() {
    for (int i = 0; i < 2; ++i) sigaction(names[i], &before[i], nullptr);
  }
  without_interrupts(const without_interrupts&) = delete;
  without_interrupts& operator=(const without_interrupts&) = delete;
  static constexpr int names[]{SIGINT, SIGQUIT};
};

}  // namespace

int run_tool(const std::vector<std::string>& words, const std::filesystem::path& said) {
  std::vector<char*> arguments;
  for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 2, said.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, 2, 1);
  // As system() does: an interrupt ends the compiler, and its output is removed here.
  const without_interrupts waiting;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigdefault(&attributes, &waiting.signals);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words.front().c_str(), &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return 127;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && sigismember(&waiting.signals, WTERMSIG(status)))
    throw upsweep::error(fault::unsupported, "lens", "it was interrupted while it compiled", "begin again");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace upsweep::lens::own
