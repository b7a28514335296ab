// Rewrites .cu files for the lens, and all of ours that they include:
//   upsweep_rewrite ROOT OUT FILE.cu...       FILE is below ROOT, its copy OUT/FILE.cpp
#include <cstdio>
#include <exception>

#include "lens/own/copies.hpp"

namespace fs = std::filesystem;
namespace own = upsweep::lens::own;

int main(int count, char** words) try {
  if (count < 4) {
    std::fprintf(stderr, "usage: upsweep_rewrite ROOT OUT FILE.cu...\n");
    return 2;
  }
  const fs::path root = words[1], out = words[2];
  own::copies files(out / "included", {root});
  const auto copy_of = [&](const char* file) { return out / (fs::relative(file, root).string() + ".cpp"); };
  for (int i = 3; i < count; ++i) files.add(words[i], copy_of(words[i]));
  // Renews the times of copies that this command compiles, so that the next build does not compile them because an
  // included copy is newer.
  for (int i = 3; i < count; ++i)
    if (files.has_changed(words[i])) fs::last_write_time(copy_of(words[i]), fs::file_time_type::clock::now());
  bool right = true;
  for (const own::refused_word& r : files.refused) {
    // cuFFT, by a pointer, if it is found where the program runs.
    if (r.what == "a library's call" || r.what.starts_with("<cufft.h>")) continue;
    std::fprintf(stderr, "%s:%u: %s is not understood by the lens\n", r.file.c_str(), r.line, r.what.c_str());
    right = false;
  }
  return right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "upsweep_rewrite: %s\n", e.what());
  return 1;
}
