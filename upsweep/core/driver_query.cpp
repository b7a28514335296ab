#include "upsweep/core/driver_query.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <thread>
#include <vector>
#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "upsweep/context.hpp"
#include "upsweep/driver_probe.hpp"
#if UPSWEEP_WITH_CUDA
#include "upsweep/cuda/cuda_device.hpp"
#endif
#if UPSWEEP_WITH_OPENCL
#include "upsweep/opencl/opencl_device.hpp"
#endif

extern char** environ;

namespace upsweep {

namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::string_view hidden_word = "--query-driver";  // the first argument of the child process
constexpr int answer_descriptor = 3;
constexpr std::array<const char*, 2> names{"cuda", "opencl"};

bool wanted = false;     // by probe_drivers()
bool by_itself = false;  // by probe_drivers_by_this_program()
bool is_child = false;

const char* name_of(core::driver d) { return names[static_cast<std::size_t>(d)]; }

// Makes the calls with which the library lists and opens devices, and ends the process.
[[noreturn]] void answer(std::string_view which) {
  is_child = true;
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);
#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#if defined(SYS_close_range)
  syscall(SYS_close_range, answer_descriptor + 1, ~0U, 0);
#endif
#endif
  try {
    std::vector<device_listing> all;
#if UPSWEEP_WITH_CUDA
    if (which == names[0]) cuda::list_devices(all);
#endif
#if UPSWEEP_WITH_OPENCL
    if (which == names[1]) opencl::list_devices(all);
#endif
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    _exit(1);
  }
  std::fflush(nullptr);
  _exit(write(answer_descriptor, "ok", 2) == 2 ? 0 : 1);
}

std::string running_program() {
  if (access("/proc/self/exe", X_OK) == 0) return "/proc/self/exe";
#if defined(__linux__)
  if (const auto* path = reinterpret_cast<const char*>(getauxval(AT_EXECFN)); path && access(path, X_OK) == 0)
    return path;
#endif
  return {};
}

// The folder of the library, or of the program that contains it, with a slash at the end.
std::string own_folder() {
  std::string path;
  if (Dl_info object; dladdr(reinterpret_cast<const void*>(&running_program), &object) != 0) path = object.dli_fname;
  if (!path.starts_with('/')) {  // the main program, by the name that it was started with
    std::array<char, 4096> target{};
    const ssize_t length = readlink("/proc/self/exe", target.data(), target.size());
    path.assign(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  }
  return path.substr(0, path.rfind('/') + 1);
}

// The program of the child process; empty if there is none.
std::string probe_program() {
  if (by_itself) return running_program();
  if (const char* const given = std::getenv("UPSWEEP_PROBE_PROGRAM")) return access(given, X_OK) == 0 ? given : "";
  if (const std::string folder = own_folder(); !folder.empty())
    for (const char* const below : {"", "upsweep/", "../upsweep/", "../lib/upsweep/"})
      if (std::string path = folder + below + "upsweep-probe"; access(path.c_str(), X_OK) == 0) return path;
  return {};
}

double patience() {
  const char* const given = std::getenv("UPSWEEP_PROBE_SECONDS");
  if (!given) return 8;
  double seconds = 0;
  const char* const end = given + std::strlen(given);
  const auto [stop, wrong] = std::from_chars(given, end, seconds);
  if (wrong != std::errc{} || stop != end || !(seconds > 0 && seconds <= 3600))
    throw error(fault::bad_argument, "the environment",
                "UPSWEEP_PROBE_SECONDS=" + std::string(given) + " is not a number of seconds up to 3600",
                "write UPSWEEP_PROBE_SECONDS=8");
  return seconds;
}

// The end of a text, on one line and without control characters.
std::string last_words(std::string_view text) {
  std::string line;
  for (const char c : text)
    if (const auto u = static_cast<unsigned char>(c); u > 32 && u < 127)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  while (line.ends_with(' ')) line.pop_back();
  constexpr std::size_t most = 120;
  return line.size() > most ? "..." + line.substr(line.size() - most) : line;
}

// A child process with pipes from its standard output, its standard error and the descriptor of its answer.
class child {
 public:
  child() = default;
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    for (const pollfd& p : ends_)
      if (p.fd >= 0) close(p.fd);
  }

  bool start(const std::string& program, const char* which) {
    std::array<int, 3> given{-1, -1, -1};
    bool ready = true;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      std::array<int, 2> both{-1, -1};
      ready = ready && pipe2(both.data(), O_CLOEXEC) == 0;
      ends_[i] = {both[0], POLLIN, 0};
      // Above the descriptors that the child gets, so that none replaces another.
      given[i] = ready ? fcntl(both[1], F_DUPFD_CLOEXEC, 10) : -1;
      ready = ready && given[i] >= 0;
      if (both[1] >= 0) close(both[1]);
    }
    if (ready) ready = spawn(program, which, given);
    for (const int fd : given)
      if (fd >= 0) close(fd);
    return ready;
  }

  // Reads what it writes until it has ended, or kills it after that time. False if it was killed.
  bool end_within(double seconds) {
    const auto until = clock_type::now() + std::chrono::duration<double>(seconds);
    for (;;) {
      const bool open = ends_[0].fd >= 0 || ends_[1].fd >= 0 || ends_[2].fd >= 0;
      const int found = poll(ends_.data(), ends_.size(), ended_ ? 0 : open ? 20 : 1);
      if (found > 0)
        for (std::size_t i = 0; i < ends_.size(); ++i)
          if (ends_[i].revents != 0) take(i);
      if (ended_ && found <= 0) return true;
      if (!ended_) ended_ = reaped();
      if (clock_type::now() < until) continue;
      if (ended_) return true;  // something that it started still writes
      kill(pid_, SIGKILL);
      // A process that the kernel cannot end now is left to it.
      for (int tries = 0; tries < 500 && !reaped(); ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      return false;
    }
  }

  bool answered() const { return read_[2] == "ok"; }
  bool printed() const { return !read_[0].empty(); }
  std::string words() const { return last_words(read_[1].empty() ? read_[0] : read_[1]); }
  std::string how_it_ended() const {
    if (!has_status_) return {};
    if (WIFSIGNALED(status_)) {
      const int number = WTERMSIG(status_);
      const char* const name = strsignal(number);
      return ", with signal " + std::to_string(number) + (name ? " (" + std::string(name) + ")" : "");
    }
    return ", with exit status " + std::to_string(WEXITSTATUS(status_));
  }

 private:
  bool spawn(const std::string& program, const char* which, const std::array<int, 3>& given) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t settings;
    if (posix_spawn_file_actions_init(&files) != 0) return false;
    if (posix_spawnattr_init(&settings) != 0) return posix_spawn_file_actions_destroy(&files), false;
    bool ready = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) == 0;
    for (int i = 0; i < 3; ++i)
      ready = ready && posix_spawn_file_actions_adddup2(&files, given[static_cast<std::size_t>(i)], i + 1) == 0;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&settings, &all);
    posix_spawnattr_setsigmask(&settings, &none);
    posix_spawnattr_setflags(&settings, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    std::string word(hidden_word), path = program, name = which;
    char* const argv[] = {path.data(), word.data(), name.data(), nullptr};
    ready = ready && posix_spawn(&pid_, program.c_str(), &files, &settings, argv, environ) == 0;
    posix_spawnattr_destroy(&settings);
    posix_spawn_file_actions_destroy(&files);
    return ready;
  }

  void take(std::size_t i) {
    std::array<char, 4096> block;
    const ssize_t n = read(ends_[i].fd, block.data(), block.size());
    if (n < 0 && errno == EINTR) return;
    if (n > 0) {
      std::string& text = read_[i];
      text.append(block.data(), static_cast<std::size_t>(n));
      if (text.size() > 2 * block.size()) text.erase(0, text.size() - block.size());
      return;
    }
    close(ends_[i].fd);
    ends_[i].fd = -1;
  }

  // A program may ignore SIGCHLD or reap every child itself: then the status is unknown, and the answer decides.
  bool reaped() {
    const pid_t got = waitpid(pid_, &status_, WNOHANG);
    has_status_ = got == pid_;
    return has_status_ || (got < 0 && errno != EINTR);
  }

  std::array<pollfd, 3> ends_{pollfd{-1, 0, 0}, pollfd{-1, 0, 0}, pollfd{-1, 0, 0}};
  std::array<std::string, 3> read_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false, has_status_ = false;
};

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", seconds);
  return text.data();
}

core::driver_state probe(core::driver d) {
  const char* const setting = std::getenv("UPSWEEP_PROBE_DRIVERS");
  const bool forbidden = setting && std::string_view(setting) == "0";
  const bool without_sys = d == core::driver::opencl && access("/sys/devices/system/cpu", R_OK) != 0;
  if (is_child || forbidden || !(wanted || (setting && *setting) || without_sys)) return {};

  core::driver_state state;
  const std::string of = d == core::driver::cuda ? "the CUDA driver" : "an OpenCL driver";
  const std::string anyway = "; UPSWEEP_PROBE_DRIVERS=0 uses it nevertheless";
  const std::string remedy = without_sys ? "mount /sys (mount -t sysfs sysfs /sys), or use another device"
                             : d == core::driver::cuda
                                 ? "update or reinstall NVIDIA's driver, or use another device" + anyway
                                 : "update or remove it (/etc/OpenCL/vendors lists it), or use another device" + anyway;
  const double seconds = patience();
  const std::string program = probe_program();
  child asks;
  if (program.empty() || !asks.start(program, name_of(d))) {
    if (without_sys)
      state = {"/sys is missing, where PoCL ends the process, and no process can be started to try it", remedy, false};
    return state;
  }
  const bool in_time = asks.end_within(seconds);
  state.prints = asks.printed();
  if (in_time && asks.answered()) return state;
  state.off = in_time ? of + " ended the process that queried it" + asks.how_it_ended()
                      : of + " did not answer within " + seconds_text(seconds) + " s (UPSWEEP_PROBE_SECONDS)";
  if (without_sys) state.off += ", and /sys is missing";
  if (const std::string words = asks.words(); !words.empty()) state.off += "; its last words: \"" + words + '"';
  state.remedy = remedy;
  return state;
}

}  // namespace

std::string probe_drivers(bool on) {
  wanted = on;
  if (!on || !probe_program().empty()) return {};
  return "drivers are not probed: upsweep-probe was not found; install it next to the library, or name it in "
         "UPSWEEP_PROBE_PROGRAM";
}

void probe_drivers_by_this_program(int argc, char** argv) {
  if (argc == 3 && argv[1] == hidden_word) answer(argv[2]);
  by_itself = wanted = true;
}

namespace core {

const driver_state& state_of(driver d) {
  if (d == driver::cuda) {
    static const driver_state cuda = probe(d);
    return cuda;
  }
  static const driver_state opencl = probe(d);
  return opencl;
}

printing_aside::printing_aside(driver d) {
  if (!by_itself || !state_of(d).prints) return;
  std::fflush(stdout);
  kept_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  if (kept_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

printing_aside::~printing_aside() {
  if (kept_ < 0) return;
  std::fflush(stdout);
  dup2(kept_, STDOUT_FILENO);
  close(kept_);
}

}  // namespace core

}  // namespace upsweep
