// The library's CUDA code, compiled for the lens: one emulated GPU in the calling process. Its kernels are checked like
// those of a program under `upsweep lens`. A finding makes the launch fail and is reported on standard error.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <regex>
#include <vector>

#include "lens/library/gpu.hpp"
#include "lens/own/device.hpp"
#include "lens/own/words.cpp"  // they ask the GPU below

namespace upsweep::lens::own {

namespace {

constexpr int launch_failure = 719;  // CUDA's number

thread_local bool in_kernel = false;

class gpu {
 public:
  gpu() : device_(settings(), true, [this](const std::string& why) { end(why); }) {
    device_.attach(reinterpret_cast<const void*>(&upsweep_lens_attach), nullptr);
    files_.emplace_back(std::filesystem::read_symlink("/proc/self/exe"), nullptr);
  }

  int launch(const upsweep_lens::launch_shape& s, const upsweep_lens::launch_body& b, const void* from) {
    device_.forget();
    in_kernel = true;
    const int status = device_.calls().launch(&s, &b, from);
    in_kernel = false;
    return tell() ? launch_failure : status;
  }
  const upsweep_lens::table& calls() const { return device_.calls(); }
  void join(const void* inside, std::string file) {
    device_.attach_more(inside);
    files_.emplace_back(std::move(file), nullptr);
  }
  // Reports the findings that have not been reported yet, and returns whether there were any.
  bool tell() {
    const auto& all = device_.ran().findings();
    const bool any = told_ < all.size();
    for (; told_ < all.size(); ++told_)
      std::fprintf(stderr, "lens: %s: %s\n", name_of(all[told_].what), with_lines(all[told_].text).c_str());
    return any;
  }

 private:
  static options settings() {
    options o;
    o.resident = 6;
    o.shared_is_poisoned = true;  // the library reads whole tiles, and ignores elements after the last
    o.block_shared = upsweep_lens::shared_bytes_of(UPSWEEP_LENS_CAPABILITY);
    if (const char* seed = std::getenv("UPSWEEP_LENS_SEED")) o.seed = std::strtoull(seed, nullptr, 10);
    return o;
  }
  // The line numbers of the program itself, or of code that was loaded after it.
  line_finder& lines_of(std::size_t object) {
    auto& [file, lines] = files_[object];
    if (lines == nullptr) {
      lines = std::make_unique<line_finder>();
      lines->open(file, UPSWEEP_LENS_WORDS);
    }
    return *lines;
  }
  // "tiles.cuh:42" of "@:81234".
  std::string with_lines(const std::string& text) {
    std::string told;
    const std::regex place("@([0-9]*):([0-9]+)");
    auto from = text.cbegin();
    for (std::smatch m; std::regex_search(from, text.cend(), m, place); from = m.suffix().first) {
      const source_line line = lines_of(m[1].length() == 0 ? 0 : std::stoul(m[1])).find(std::stoull(m[2]));
      told += m.prefix().str() + line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line);
    }
    return told + std::string(from, text.cend());
  }
  [[noreturn]] void end(const std::string& why) {
    tell();
    std::fprintf(stderr, "lens: %s\n", with_lines(why).c_str());
    std::fflush(nullptr);
    _exit(1);
  }

  device device_;
  std::size_t told_ = 0;
  std::vector<std::pair<std::string, std::unique_ptr<line_finder>>> files_;  // line numbers, opened at the first query
};

std::recursive_mutex one_at_a_time;

gpu& here() {
  static gpu* const made = new gpu;  // outlives objects that are destroyed at the end of the program
  return *made;
}

// Once all variables of the program are there.
gpu& with_symbols() {
  static const bool told = (upsweep_lens_symbols(), true);
  (void)told;
  return here();
}

// As the words find it before anything has been called.
upsweep_lens::table words() {
  using namespace upsweep_lens;
  table t = here().calls();
  t.access = [](const void* at, std::size_t bytes, int kind, const void* from) {
    if (in_kernel) here().calls().access(at, bytes, kind, from);
  };
  t.launch = [](const launch_shape* s, const launch_body* b, const void* from) {
    const std::scoped_lock held(one_at_a_time);
    return with_symbols().launch(*s, *b, from);
  };
  t.allocate = [](void** to, std::size_t bytes, std::size_t element, const char* text, int kind, const void* from) {
    const std::scoped_lock held(one_at_a_time);
    return with_symbols().calls().allocate(to, bytes, element, text, kind, from);
  };
  t.release = [](void* p, const char* call, const void* from) {
    const std::scoped_lock held(one_at_a_time);
    return with_symbols().calls().release(p, call, from);
  };
  t.copy = [](void* to, const void* source, std::size_t bytes, int direction, const char* call, const void* from) {
    const std::scoped_lock held(one_at_a_time);
    const int status = with_symbols().calls().copy(to, source, bytes, direction, call, from);
    return here().tell() ? launch_failure : status;
  };
  t.fill = [](void* to, int value, std::size_t bytes, const char* call, const void* from) {
    const std::scoped_lock held(one_at_a_time);
    const int status = with_symbols().calls().fill(to, value, bytes, call, from);
    return here().tell() ? launch_failure : status;
  };
  return t;
}

const upsweep_lens::table all = words();
const bool attached = (upsweep_lens_attach(&all), true);

}  // namespace

void join(const void* inside, std::string file, void (*attach)(const upsweep_lens::table*), void (*symbols)()) {
  const std::scoped_lock held(one_at_a_time);
  with_symbols().join(inside, std::move(file));
  attach(&all);
  symbols();
}

}  // namespace upsweep::lens::own
