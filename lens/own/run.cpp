#include "lens/own/run.hpp"

#include <dlfcn.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "lens/own/device.hpp"
#include "upsweep/error.hpp"

namespace upsweep::lens::own {

namespace {

// The child process: loads the program, runs its main, and reports the findings, however the program ends.
class runner {
 public:
  runner(const job& j, program& p, const std::function<void(const report&)>& tell)
      : job_(j),
        program_(p),
        tell_(tell),
        device_(options_of(j), j.races, [this](const std::string& why) { end(why, 0); }) {}

  [[noreturn]] void run() {
    the = this;
    if (!lines_.open(program_.object(), program_.headers()))
      refuse("there is no addr2line, which says what line an access is of", "install binutils");
    lines_.find(0x1000);  // it has its file open now
    void* loaded = dlopen(program_.object().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) refuse("it cannot be loaded: " + std::string(dlerror()), "define in it what it calls");
    program_.remove_files();
    const auto attach = reinterpret_cast<void (*)(const upsweep_lens::table*)>(dlsym(loaded, "upsweep_lens_attach"));
    const auto symbols = reinterpret_cast<void (*)()>(dlsym(loaded, "upsweep_lens_symbols"));
    const auto main = reinterpret_cast<int (*)(int, char**, char**)>(dlsym(loaded, "main"));
    if (main == nullptr || attach == nullptr) refuse("its main cannot be found", "declare it as int main()");
    device_.attach(reinterpret_cast<const void*>(attach), &lines_);
    attach(&device_.calls());
    symbols();

    std::vector<std::string> words{job_.what.file};
    words.insert(words.end(), job_.arguments.begin(), job_.arguments.end());
    std::vector<char*> arguments;
    for (std::string& w : words) arguments.push_back(w.data());
    arguments.push_back(nullptr);
    catch_signals();
    on_exit([](int status, void*) { the->end({}, status); }, nullptr);
    if (job_.aside) dup2(2, 1);
    begin_ = std::chrono::steady_clock::now();
    limit(job_.seconds);
    const int status = main(static_cast<int>(words.size()), arguments.data(), environ);
    end({}, status);
  }

 private:
  static options options_of(const job& j) {
    options o;
    o.resident = j.resident, o.seed = j.what.seed, o.races = j.races.value_or(true), o.withheld = j.withheld;
    return o;
  }
  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const {
    std::fprintf(stderr, "upsweep: %s\n", error(fault::unsupported, "lens " + job_.what.file, what, remedy).what());
    _exit(1);
  }

  // A signal may arrive in any state of the program, so its handler writes its report from a separate stack.
  void catch_signals() {
    stack_t own{};
    own.ss_size = 1 << 20;
    own.ss_sp = std::malloc(own.ss_size);
    sigaltstack(&own, nullptr);
    struct sigaction a{};
    a.sa_sigaction = [](int signal, siginfo_t*, void* context) {
      const auto& at = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
      const std::string where = the->device_.last_seen(reinterpret_cast<const void*>(at.gregs[REG_RIP]));
#elif defined(__aarch64__)
      const std::string where = the->device_.last_seen(reinterpret_cast<const void*>(at.pc));
#else
      const std::string where = the->device_.last_seen(nullptr);
#endif
      switch (signal) {
        case SIGPROF:
          the->end("it did not end within " + std::to_string(the->job_.seconds) +
                       " s of the processor's time; it was in " + where,
                   0);
        case SIGSEGV:
        case SIGBUS: the->end("it crashed (segmentation fault) in " + where, 0);
        case SIGFPE: the->end("it divided an integer by zero in " + where, 0);
        default: the->end("it was aborted in " + where, 0);
      }
    };
    a.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_SIGINFO;
    for (const int signal : {SIGPROF, SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) sigaction(signal, &a, nullptr);
  }

  // Limits processor time, so that other load does not shorten the run.
  static void limit(unsigned seconds) {
    itimerval t{};
    t.it_value.tv_sec = static_cast<time_t>(seconds);
    setitimer(ITIMER_PROF, &t, nullptr);
  }

  [[noreturn]] void end(const std::string& why, int status) {
    if (ended_) _exit(1);
    ended_ = true;
    limit(0);
    report r;
    r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const machine& m = device_.ran();
    r.file = job_.what.file, r.raced = job_.races.value_or(true), r.not_watched = device_.not_watched();
    r.said = device_.said(), r.launches = m.launches(), r.total = m.total(), r.findings = m.findings();
    r.cut_short = why, r.status = status;
    std::fflush(stdout);
    std::fflush(stderr);
    if (job_.aside) dup2(out_, 1);
    tell_(r);
    std::fflush(stdout);
    std::fflush(stderr);
    _exit(r.ok() ? 0 : status != 0 ? status & 0xff : 1);
  }

  static inline runner* the = nullptr;
  const job& job_;
  program& program_;
  const std::function<void(const report&)>& tell_;
  line_finder lines_;
  device device_;
  std::chrono::steady_clock::time_point begin_;
  int out_ = dup(1);
  bool ended_ = false;
};

}  // namespace

int run(const job& j, const std::function<void(const report&)>& tell) {
  program p(j.what);
  std::fflush(stdout);
  std::fflush(stderr);
  const pid_t child = fork();
  if (child < 0)
    throw error(fault::unsupported, "lens " + j.what.file, "no process can be started", "end others first");
  if (child == 0) {
    auto* r = new runner(j, p, tell);
    r->run();
  }
  // The child stops itself when its time is up; one that no longer can, or sleeps, is stopped here.
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(10 * std::uint64_t{j.seconds} + 60);
  int status = 0;
  for (pid_t done = 0; (done = waitpid(child, &status, WNOHANG)) == 0;) {
    if (std::chrono::steady_clock::now() > last) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  throw error(
      fault::device_failure, "lens " + j.what.file,
      "the program was ended by signal " + std::to_string(WTERMSIG(status)) + " before it could say what it had seen",
      "give more --seconds, or a smaller task");
}

}  // namespace upsweep::lens::own
