// How the command starts: fast, and from nowhere but where the system keeps its libraries.
#include <chrono>
#include <regex>

#include "command.hpp"

namespace {

class start : public command_test {
 protected:
  // What `readelf -d` says, or nothing where there is no readelf.
  std::string dynamic_section() const { return shell("readelf -dW $upsweep").out; }
};

TEST_F(start, libraries_are_looked_for_in_whole_paths_only) {
  const std::string all = dynamic_section();
  if (all.empty()) GTEST_SKIP() << "there is no readelf";
  std::smatch found;
  if (!std::regex_search(all, found, std::regex("R(?:UN)?PATH.*\\[(.*)\\]")))
    return;  // nowhere else than the system's folders
  const std::string path = found[1];
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string part = path.substr(at, end - at);  // $ORIGIN is the program's own folder
    EXPECT_TRUE(part.starts_with("/") || part.starts_with("$ORIGIN/")) << path;
    at = end + 1;
  }
}

TEST_F(start, a_library_planted_in_the_current_folder_is_not_loaded) {
  const std::string all = dynamic_section();
  if (all.empty()) GTEST_SKIP() << "there is no readelf";
  const std::regex needed("NEEDED.*\\[(.*)\\]");
  for (std::sregex_iterator at(all.begin(), all.end(), needed), end; at != end; ++at) write((*at)[1], "planted");
  for (const char* name : {"libhdf5.so", "libhdf5_serial.so.103", "libOpenCL.so.1"}) write(name, "planted");
  const ran r = run({"--version"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(r.err.empty()) << r.err;
}

TEST_F(start, hdf5_waits_until_it_is_needed) { EXPECT_EQ(dynamic_section().find("hdf5"), std::string::npos); }

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(start, takes_less_than_a_moment) {
  double fastest = 1;  // of many: the machine has other work
  for (int turn = 0; turn < 40; ++turn) {
    const auto began = std::chrono::steady_clock::now();
    ASSERT_EQ(run({"--version"}).status, 0);
    fastest = std::min(fastest, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  EXPECT_LT(fastest, 0.020);
}
#endif

}  // namespace
