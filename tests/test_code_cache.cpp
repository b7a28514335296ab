// The code cache on disk: written files are read back, damaged files are ignored, and several processes write and clear
// it at once.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "upsweep/core/compiled_code_cache.hpp"
#include "upsweep/error.hpp"

namespace {

using namespace upsweep;
namespace fs = std::filesystem;

// The environment's folder is the test's own until it ends.
struct CodeCache : testing::Test {
  CodeCache() {
    char name[] = "/tmp/upsweep-cache-XXXXXX";
    root_ = ::mkdtemp(name);
    if (const char* const before = std::getenv("XDG_CACHE_HOME")) before_ = before;
    ::setenv("XDG_CACHE_HOME", root_.c_str(), 1);
  }
  ~CodeCache() override {
    if (before_.empty())
      ::unsetenv("XDG_CACHE_HOME");
    else
      ::setenv("XDG_CACHE_HOME", before_.c_str(), 1);
    fs::remove_all(root_);
  }
  fs::path only_entry() const {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(root_ + "/upsweep")) found = entry.path();
    return found;
  }
  static std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }
  std::string root_, before_;
};

TEST_F(CodeCache, ReadsWhatWasWritten) {
  EXPECT_EQ(code_cache::folder(), root_ + "/upsweep");
  EXPECT_FALSE(code_cache::read("a"));
  EXPECT_EQ(code_cache::size().entries, 0u);
  const std::string code("code\0of a", 9);
  code_cache::write("a", code);
  code_cache::write("b", "");
  EXPECT_EQ(code_cache::read("a"), code);
  EXPECT_EQ(code_cache::read("b"), "");
  EXPECT_FALSE(code_cache::read("ab"));
  code_cache::write("a", "newer");
  EXPECT_EQ(code_cache::read("a"), "newer");
  EXPECT_EQ(code_cache::size().entries, 2u);
  EXPECT_GT(code_cache::size().bytes, 7u);
  EXPECT_EQ(code_cache::clear().entries, 2u);
  EXPECT_FALSE(code_cache::read("a"));
  EXPECT_EQ(code_cache::size().bytes, 0u);
}

TEST_F(CodeCache, IgnoresWhatIsDamaged) {
  code_cache::write("the key", "the code");
  const fs::path entry = only_entry();
  const std::string whole = bytes_of(entry);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    std::ofstream(entry, std::ios::binary) << changed;
    EXPECT_FALSE(code_cache::read("the key")) << "byte " << at;
    std::ofstream(entry, std::ios::binary) << whole.substr(0, at);
    EXPECT_FALSE(code_cache::read("the key")) << at << " bytes";
  }
  std::ofstream(entry, std::ios::binary) << whole + "x";
  EXPECT_FALSE(code_cache::read("the key"));
  code_cache::write("the key", "the code");
  EXPECT_EQ(code_cache::read("the key"), "the code");
}

// A folder that other users may write to may contain their files.
TEST_F(CodeCache, IgnoresWhatOthersMayHaveWritten) {
  code_cache::write("a", "code");
  const fs::path entry = only_entry();
  for (const mode_t mode : {0620, 0602, 0666}) {
    ASSERT_EQ(::chmod(entry.c_str(), mode), 0);
    EXPECT_FALSE(code_cache::read("a")) << std::oct << mode;
  }
  ASSERT_EQ(::chmod(entry.c_str(), 0600), 0);
  EXPECT_EQ(code_cache::read("a"), "code");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(entry.c_str(), 65534, 65534), 0);
    EXPECT_FALSE(code_cache::read("a"));
    ASSERT_EQ(::chown(entry.c_str(), 0, 0), 0);
  }
  fs::rename(entry, root_ + "/elsewhere");
  fs::create_symlink(root_ + "/elsewhere", entry);
  EXPECT_FALSE(code_cache::read("a"));
  code_cache::write("a", "code");
  EXPECT_EQ(code_cache::read("a"), "code");
}

// A pipe does not block, a file is not used as a folder, and no memory is allocated for a size that only the file
// claims.
TEST_F(CodeCache, IgnoresWhatIsNoEntry) {
  code_cache::write("a", "code");
  const fs::path entry = only_entry();
  fs::remove(entry);
  ASSERT_EQ(::mkfifo(entry.c_str(), 0600), 0);
  EXPECT_FALSE(code_cache::read("a"));
  code_cache::write("a", "code");
  EXPECT_EQ(code_cache::read("a"), "code");
  const std::string whole = bytes_of(entry);
  std::error_code refused;
  fs::resize_file(entry, std::uintmax_t{1} << 42, refused);
  if (refused) GTEST_SKIP() << "no file here may claim so much: " << refused.message();
  EXPECT_FALSE(code_cache::read("a"));
  std::string claims = whole;
  const std::uint64_t claimed = (std::uint64_t{1} << 42) - whole.size() + 4;
  std::memcpy(claims.data() + 24, &claimed, sizeof claimed);
  std::ofstream(entry, std::ios::binary) << claims;
  fs::resize_file(entry, std::uintmax_t{1} << 42);
  EXPECT_FALSE(code_cache::read("a"));
  fs::remove(entry);
  fs::create_directory(entry);
  EXPECT_FALSE(code_cache::read("a"));
  code_cache::write("a", "code");
  EXPECT_FALSE(code_cache::read("a"));
}

TEST_F(CodeCache, GoesOnWithoutAFolder) {
  ::setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  code_cache::write("a", "code");
  EXPECT_FALSE(code_cache::read("a"));
  EXPECT_EQ(code_cache::clear().entries, 0u);
  // A relative path is no folder: then it is ~/.cache.
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(code_cache::folder().find("relative"), std::string::npos);
}

// Beyond the bound the entries go that were used least recently; what was just written stays.
TEST_F(CodeCache, IsBounded) {
  ::setenv("UPSWEEP_CODE_CACHE_LIMIT", "64K", 1);
  struct at_end {
    ~at_end() { ::unsetenv("UPSWEEP_CODE_CACHE_LIMIT"); }
  } const restored;
  const std::string code(10'000, 'x');
  const auto age = [&](const std::string& key, std::time_t seconds) {
    for (const auto& entry : fs::directory_iterator(root_ + "/upsweep"))
      if (bytes_of(entry.path()).find(key) != std::string::npos) {
        const timespec then{std::time(nullptr) - seconds, 0};
        const timespec times[2]{then, then};
        ASSERT_EQ(::utimensat(AT_FDCWD, entry.path().c_str(), times, 0), 0);
      }
  };
  for (int i = 0; i < 6; ++i) {
    const std::string key = "<" + std::to_string(i) + ">";
    code_cache::write(key, code);
    age(key, 10'000 - 1000 * i);
  }
  ASSERT_EQ(code_cache::size().entries, 6u);
  EXPECT_TRUE(code_cache::read("<0>"));  // used now
  code_cache::write("<6>", code);
  EXPECT_LE(code_cache::size().bytes, 64u << 10);
  EXPECT_TRUE(code_cache::read("<0>"));
  EXPECT_TRUE(code_cache::read("<6>"));
  EXPECT_FALSE(code_cache::read("<1>"));
  EXPECT_TRUE(code_cache::read("<5>"));
  for (int i = 10; i < 60; ++i) {
    code_cache::write(std::to_string(i), code);
    ASSERT_LE(code_cache::size().bytes, 64u << 10);
    ASSERT_TRUE(code_cache::read(std::to_string(i)));
  }
  code_cache::write("too large", std::string(100'000, 'x'));
  EXPECT_FALSE(code_cache::read("too large"));
  ::setenv("UPSWEEP_CODE_CACHE_LIMIT", "0", 1);
  EXPECT_FALSE(code_cache::read("59"));
  ::setenv("UPSWEEP_CODE_CACHE_LIMIT", "1 GB", 1);
  EXPECT_THROW((void)code_cache::read("59"), error);
}

// A file that a process left unfinished goes once it is an hour old.
TEST_F(CodeCache, ClearsAwayWhatKilledProcessesLeft) {
  ::setenv("UPSWEEP_CODE_CACHE_LIMIT", "20K", 1);
  struct at_end {
    ~at_end() { ::unsetenv("UPSWEEP_CODE_CACHE_LIMIT"); }
  } const restored;
  code_cache::write("a", "code");
  const fs::path old = root_ + "/upsweep/old.1-0.part", recent = root_ + "/upsweep/recent.1-1.part";
  for (const fs::path& file : {old, recent}) std::ofstream(file, std::ios::binary) << std::string(15'000, 'x');
  const timespec then{std::time(nullptr) - 4000, 0};
  const timespec times[2]{then, then};
  ASSERT_EQ(::utimensat(AT_FDCWD, old.c_str(), times, 0), 0);
  code_cache::write("b", "code");
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(recent));
  EXPECT_TRUE(code_cache::read("b"));
}

// Each process writes files that the others read, and one process clears the cache: every file read is complete.
TEST_F(CodeCache, SeveralProcesses) {
  const auto code = [](int key, int length) {
    return std::string(static_cast<std::size_t>(length), static_cast<char>('a' + key));
  };
  const auto work = [&](int me) {
    for (int round = 0; round < 200; ++round) {
      const int key = (round + me) % 5;
      const std::string name = "key " + std::to_string(key);
      if (me == 3 && round % 20 == 0)
        code_cache::clear();
      else
        code_cache::write(name, code(key, 1000 * (1 + (me + round) % 7)));
      const auto got = code_cache::read(name);
      if (got && (got->empty() || *got != code(key, static_cast<int>(got->size())))) return 1;
    }
    return 0;
  };
  std::vector<pid_t> children;
  for (int me = 0; me < 4; ++me) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(work(me));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (const auto& entry : fs::directory_iterator(root_ + "/upsweep")) EXPECT_EQ(entry.path().extension(), ".code");
}

}  // namespace
