#include "tests/fuzz/harness.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "upsweep/error.hpp"

namespace fuzz {

namespace {

std::vector<harness>& all() {
  static std::vector<harness> one;
  return one;
}

}  // namespace

const std::vector<harness>& harnesses() {
  std::ranges::sort(all(), {}, &harness::name);
  return all();
}

listed::listed(std::string_view name, void (*take)(std::string_view)) { all().push_back({name, take}); }

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::abort();
}

bool give(const harness& h, std::string_view bytes) {
  try {
    h.take(bytes);
    return true;
  } catch (const upsweep::error& e) {
    require(!e.where().empty() && !e.problem().empty(), "a refusal that does not say what is wrong");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "another exception: %s\n", e.what());
    std::abort();
  }
  return false;
}

unsigned char take_byte(std::string_view& bytes) {
  if (bytes.empty()) return 0;
  const auto first = static_cast<unsigned char>(bytes[0]);
  bytes.remove_prefix(1);
  return first;
}

std::string_view take_until(std::string_view& bytes, std::string_view mark) {
  const std::size_t at = bytes.find(mark);
  const std::string_view before = bytes.substr(0, at);
  bytes = at == std::string_view::npos ? std::string_view() : bytes.substr(at + mark.size());
  return before;
}

const std::string& folder() {
  static const struct own {
    own() : path((std::filesystem::temp_directory_path() / "upsweep-fuzz-XXXXXX").string()) {
      if (!mkdtemp(path.data())) throw std::runtime_error("no temporary folder");
    }
    ~own() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    std::string path;
  } one;
  return one.path;
}

std::string file_of(const std::string& name, std::string_view bytes) {
  std::string path = folder() + "/" + name;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
  return path;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace fuzz
