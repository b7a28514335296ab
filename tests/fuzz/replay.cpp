// Runs the harnesses on the stored inputs, in any build:
//
//   upsweep_fuzz_replay NAME PATH...      files, and the files of folders, to the harness of that name
//   upsweep_fuzz_replay --folders CORPUS  whether there is exactly one folder for each harness
//
// A file whose name begins with taken- must be accepted, because a seed that is rejected early does not reach the code
// after that check. A file that needs more than 10 seconds of processor time or 8 GiB ends the program, as a wrong
// result does. The file's name is printed.
#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "tests/fuzz/harness.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// Of the processors', whatever else they do meanwhile. 0: none.
void limit_time(int seconds) {
  const itimerval limit{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

int replay(const fuzz::harness& h, int count, char** paths) {
  int given = 0, refused = 0;
  for (int i = 0; i < count; ++i)
    for (const fs::path& file : files_in(paths[i])) {
      std::printf("%s\n", file.c_str());
      std::fflush(stdout);
      const std::string bytes = fuzz::bytes_of(file.string());
      limit_time(10);
      const bool taken = fuzz::give(h, bytes);
      limit_time(0);
      if (!taken && file.filename().string().starts_with("taken-")) {
        std::printf("it is refused, and was to be taken\n");
        ++refused;
      }
      ++given;
    }
  std::printf("%d inputs given to %s\n", given, h.name.data());
  return given > 0 && refused == 0 ? 0 : 1;
}

int compare_folders(const fs::path& corpus) {
  std::set<std::string> names, folders;
  for (const fuzz::harness& h : fuzz::harnesses()) names.emplace(h.name);
  for (const fs::path& folder : files_in(corpus)) folders.insert(folder.filename().string());
  if (names == folders) return 0;
  for (const std::string& name : names)
    if (!folders.contains(name)) std::printf("%s is a harness without a folder\n", name.c_str());
  for (const std::string& folder : folders)
    if (!names.contains(folder)) std::printf("%s is a folder without a harness\n", folder.c_str());
  return 1;
}

void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these take terabytes of addresses
  constexpr rlim_t most = rlim_t{8} << 30;
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  limit_memory();
  const std::string_view name = argc > 2 ? argv[1] : "";
  if (name == "--folders") return compare_folders(argv[2]);
  for (const fuzz::harness& h : fuzz::harnesses())
    if (h.name == name) return replay(h, argc - 2, argv + 2);
  std::fprintf(stderr, "usage: upsweep_fuzz_replay NAME PATH... | --folders CORPUS; there are");
  for (const fuzz::harness& h : fuzz::harnesses()) std::fprintf(stderr, " %s", h.name.data());
  std::fprintf(stderr, "\n");
  return 2;
}
