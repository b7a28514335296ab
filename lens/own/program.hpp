// A user's .cu file, made a program that can be loaded: rewritten, compiled by the host's compiler, with a main of ours
// where it has none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace upsweep::lens::own {

struct size3 {
  unsigned x = 0, y = 1, z = 1;  // x of 0: not given
};

struct source {
  std::string file;
  std::vector<std::string> others;  // compiled with it, and linked
  std::vector<std::string> flags;   // for the compiler: -I, -D
  // Where it has no main: which kernel, for how many elements, in what grid.
  std::string kernel;
  std::uint64_t n = 4096;
  size3 block, grid;
  std::int64_t shared = -1;  // bytes of dynamic shared memory; -1: not given
  std::uint64_t seed = 1;
};

// Files in a folder of its own, which is removed with it.
class program {
 public:
  // Throws upsweep::error if the file does not exist, has an unsupported word, if there is no compiler, or if
  // compilation fails; the compiler's messages are then on standard error.
  explicit program(const source&);
  ~program();
  program(const program&) = delete;
  program& operator=(const program&) = delete;

  std::string object() const { return folder_ / "program.so"; }
  std::string headers() const { return folder_ / "include"; }
  bool made_main() const { return made_main_; }
  void remove_files();

 private:
  int compile(const source&, const std::vector<std::filesystem::path>& files, const std::filesystem::path& said) const;
  std::filesystem::path folder_;
  bool made_main_ = false;
};

}  // namespace upsweep::lens::own
