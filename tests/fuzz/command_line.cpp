// Whole command lines: a line a word. They run in a folder of small files; what could leave it or take long is left
// out: names with a slash, numbers of more than three digits, the view, films, and the commands that time or judge. A
// command that fails leaves the folder as it was.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/commands.hpp"
#include "tests/fuzz/harness.hpp"
#include "upsweep/error.hpp"

namespace {

using upsweep::error;
using upsweep::fault;

namespace fs = std::filesystem;

constexpr std::string_view commands[]{
    "reduce",     "scan", "sort", "select", "unique", "rle",  "group", "histogram", "range-count", "convolve", "image",
    "recurrence", "lex",  "cmp",  "nbody",  "report", "help", "list",  "--version", "--help",      "devices"};

bool is_safe(const std::vector<std::string>& words) {
  if (words.empty() || std::ranges::find(commands, words[0]) == std::end(commands)) return false;
  for (const std::string& word : words) {
    if (word.find('/') != std::string::npos || word.find("..") != std::string::npos) return false;
    // An answer is one for a process; and each thread of cpu:N is one.
    for (const char* other : {"--json", "--view", "--video", "--errors", "cpu:"})
      if (word.find(other) != std::string::npos) return false;
    std::size_t digits = 0;
    for (const char c : word) {
      digits = (c >= '0' && c <= '9') || ((c == 'e' || c == 'E') && digits > 0) ? digits + 1 : 0;
      if (digits > 3) return false;
    }
  }
  return true;
}

bool has(const std::vector<std::string>& words, std::string_view option) {
  return std::ranges::any_of(words, [&](const std::string& word) { return word.starts_with(option); });
}

// What a build without a library refuses, a build with it takes.
bool asks_for_what_is_off(const std::vector<std::string>& words) {
  constexpr std::string_view off[]{
#if !UPSWEEP_WITH_PNG
      ".png",  "--frames",
#endif
#if !UPSWEEP_WITH_JPEG
      ".jpg",
#endif
#if !UPSWEEP_WITH_ZLIB
      ".gz",   ".npz",
#endif
#if !UPSWEEP_WITH_ZSTD
      ".zst",
#endif
#if !UPSWEEP_WITH_HDF5
      ".h5",
#endif
      "--view"};
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::any_of(off, [&](std::string_view end) { return word.ends_with(end); });
  });
}

// What is not said would be thousands of bodies and steps.
void make_short(std::vector<std::string>& words) {
  if (words[0] != "nbody") return;
  if (!has(words, "--steps")) words.insert(words.end(), {"--steps", "2"});
  const bool file = std::ranges::find(words, "b.csv") != words.end();
  if (!file && !has(words, "--resume") && !has(words, "--bodies")) words.insert(words.end(), {"--bodies", "20"});
  if (!has(words, "--size") && has(words, "--frames")) words.insert(words.end(), {"--size", "32x16"});
}

std::string npy_of(const std::string& type, const std::string& shape, const std::string& elements) {
  std::string head = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  head.resize(117, ' ');
  return std::string("\x93NUMPY\1\0v\0", 10) + head + "\n" + elements;
}

// The files that seeds name.
void fill_folder() {
  for (const auto& entry : fs::directory_iterator(".")) fs::remove_all(entry.path());
  fuzz::file_of("work/t.csv",
                "id,price,day,name\n1,2.5,2021-03-01,ann\n2,NA,2021-03-02,\"b,c\"\n2,-1,2021-03-01,ann\n");
  fuzz::file_of("work/u.txt", "3\n1\n2\n2\n");
  fuzz::file_of("work/x.raw", std::string("\1\0\0\0\2\0\0\0\2\0\0\0\377\377\377\377", 16));
  fuzz::file_of("work/p.pgm", "P2\n4 3\n255\n0 10 20 30\n40 50 60 70\n80 90 100 255\n");
  fuzz::file_of("work/b.csv", "x,y,z,mass\n0,0,0,1\n1,0,0,1\n0,1,0.5,2\n");
  fuzz::file_of("work/g.rules", "word [a-z]+\n-space [ \\n,]+\nnumber [0-9.:-]+\nquote \"\n");
  fuzz::file_of("work/r.json", R"({"kind": "check", "results": [], "provenance": {}})");
  fuzz::file_of("work/q.csv", "-1,1\n0,2.5\n3,inf\n");
  fuzz::file_of("work/m.npy",
                npy_of("<i2", "(3, 4)", {"\1\0\2\0\2\0\377\0\7\0\6\0\0\1\0\2\0\200\377\177\3\0\4\0", 24}));
  fuzz::file_of("work/f.npy", npy_of("<f4", "(4,)", {"\0\0\0?\0\0\0\200\0\0\200\177\0\0\200\277", 16}));
  fuzz::file_of("work/l.npy", npy_of("<i8", "(4,)",
                                     std::string("\377\377\377\377\377\377\377\177\3\0\0\0\0\0\0\0", 16) +
                                         std::string("\0\0\0\0\0\0\0\200\376\377\377\377\377\377\377\377", 16)));
  fuzz::file_of("work/k.npy", npy_of("|b1", "(4,)", {"\1\0\0\1", 4}));
  fuzz::file_of("work/c.pam", std::string("P7\nWIDTH 3\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n") +
                                  "abcdefghijklmnopqrstuvwx");
}

// The names of the files here, and how long they are.
std::set<std::pair<std::string, std::uintmax_t>> files_here() {
  std::set<std::pair<std::string, std::uintmax_t>> files;
  for (const auto& entry : fs::recursive_directory_iterator("."))
    files.emplace(entry.path().string(), entry.is_regular_file() ? entry.file_size() : 0);
  return files;
}

class inside_folder {
 public:
  explicit inside_folder(const std::string& path) : before_(open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    fs::create_directory(path);
    fs::current_path(path);
  }
  ~inside_folder() {
    if (fchdir(before_) != 0) std::abort();
    close(before_);
  }

 private:
  int before_;
};

}  // namespace

UPSWEEP_HARNESS(command_line) {
  std::vector<std::string> words;
  while (!bytes.empty() && words.size() < 24) words.emplace_back(fuzz::take_until(bytes, "\n"));
  for (std::string& word : words) word = word.c_str();  // a word ends at its first zero
  if (!is_safe(words)) throw error(fault::bad_argument, "the command line", "it is not run here");
  make_short(words);

  static const bool nothing_to_read = [] {
    const int nothing = open("/dev/null", O_RDWR);
    return dup2(nothing, 0) == 0;
  }();
  fuzz::require(nothing_to_read, "standard input cannot be closed");
  const inside_folder here(fuzz::folder() + "/work");
  fill_folder();
  const auto before = files_here();
  std::vector<char*> argv{const_cast<char*>("upsweep")};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int status = run_command(static_cast<int>(argv.size()) - 1, argv.data());
  fuzz::require(status >= 0 && status <= 2, "another status than 0, 1 and 2");
  if (status == 0) return;
  if (words[0] != "cmp") fuzz::require(files_here() == before, "a command that fails leaves a file");
  if (!asks_for_what_is_off(words)) throw error(fault::bad_argument, "the command line", "it was refused");
}
