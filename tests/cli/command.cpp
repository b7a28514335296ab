#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "command.hpp"

namespace {

std::string drain(int fd) {
  std::string all;
  char block[65536];
  for (ssize_t some; (some = read(fd, block, sizeof block)) > 0;) all.append(block, static_cast<std::size_t>(some));
  close(fd);
  return all;
}

void feed(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t some = write(fd, bytes.data(), bytes.size());
    if (some <= 0) break;  // the command did not want the rest
    bytes.remove_prefix(static_cast<std::size_t>(some));
  }
  close(fd);
}

ran start(const std::vector<std::string>& words, const std::filesystem::path& directory,
          std::string_view standard_input) {
  std::signal(SIGPIPE, SIG_IGN);
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) throw std::runtime_error("no pipes");
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(err[1], 2);
    if (chdir(directory.c_str()) == 0) execv(argv[0], argv.data());
    _exit(126);
  }
  close(in[0]);
  close(out[1]);
  close(err[1]);
  ran result;
  std::thread feeding([&] { feed(in[1], standard_input); });
  std::thread listening([&] { result.err = drain(err[0]); });
  result.out = drain(out[0]);
  listening.join();
  feeding.join();
  int status = 0;
  waitpid(child, &status, 0);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace

command_test::command_test() {
  std::string pattern = (std::filesystem::temp_directory_path() / "upsweep-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary directory");
  directory_ = pattern;
}

command_test::~command_test() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

ran command_test::run(const std::vector<std::string>& arguments, std::string_view standard_input) const {
  std::vector<std::string> words{UPSWEEP_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return start(words, directory_, standard_input);
}

int command_test::ended_at_work(int signal) const {
  int in[2];
  if (pipe2(in, O_CLOEXEC) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(signal, SIG_DFL);
    dup2(in[0], 0);
    if (chdir(path(".").c_str()) == 0)
      execl(UPSWEEP_COMMAND, "upsweep", "scan", "-", "--dtype", "f64", "--chunk", "1", "-o", "y.raw", nullptr);
    _exit(126);
  }
  EXPECT_EQ(::write(in[1], "eight bytes more", 16), 16);
  const auto at_work = [&] {
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(child) + "/fd", gone))
      if (std::filesystem::read_symlink(entry, gone).string().starts_with(path("").string())) return true;
    return false;
  };
  for (int tries = 0; tries < 500 && !at_work(); ++tries) usleep(10000);
  EXPECT_TRUE(at_work());
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  close(in[0]);
  close(in[1]);
  return status;
}

ran command_test::shell(const std::string& line) const {
  return start({"/bin/sh", "-c", std::string("upsweep='") + UPSWEEP_COMMAND + "'; " + line}, directory_, {});
}

void command_test::write(const std::string& name, std::string_view bytes) const {
  std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string command_test::read(const std::string& name) const {
  std::ifstream in(path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> command_test::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

void command_test::expect_refusal(const std::vector<std::string>& arguments, const std::vector<std::string>& words,
                                  std::string_view standard_input, int status) const {
  const auto before = files();
  const ran r = run(arguments, standard_input);
  std::string line;
  for (const std::string& a : arguments) line += " " + a;
  SCOPED_TRACE("upsweep" + line + "\n" + r.err);
  EXPECT_EQ(r.status, status);
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(r.err.substr(0, 9), "upsweep: ");
  EXPECT_EQ(std::ranges::count(r.err, '\n'), 1) << "one sentence";
  for (const std::string& word : words) EXPECT_NE(r.err.find(word), std::string::npos) << "it does not say: " << word;
  EXPECT_EQ(files(), before);
}
