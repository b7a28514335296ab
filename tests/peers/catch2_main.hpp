// After a test written with Catch2 3: the main program. Each test once, a line of JSON each. The arguments are names of
// tests that are not to run.
#pragma once

#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

struct in_lines : Catch::EventListenerBase {
  using EventListenerBase::EventListenerBase;

  static void tell(const nlohmann::json& line) {
    std::printf("%s\n", line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).c_str());
    std::fflush(stdout);
  }
  void testCaseStarting(const Catch::TestCaseInfo& test) override {
    on_upsweep::calls = 0;
    why.clear();
    tell({{"test", test.name}, {"outcome", "begun"}});
  }
  void assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (result.isOk() || !why.empty()) return;
    why = result.getExpression() + ": " + result.getExpandedExpression() + " " + std::string(result.getMessage());
    for (const Catch::MessageInfo& told : stats.infoMessages) why += " [" + told.message + "]";
    why.resize(std::min<std::size_t>(why.size(), 400));
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
#if defined(__CUDACC__)  // what a kernel left broken is not the next test's: those after it run in another program
    if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
      std::_Exit(3);
    }
#endif
    tell({{"test", stats.testInfo->name},
          {"outcome", stats.totals.assertions.failed == 0 ? "passed" : "failed"},
          {"calls", on_upsweep::calls},
          {"why", why}});
  }
  std::string why;
};
CATCH_REGISTER_LISTENER(in_lines)

// As Catch2's filters want a name.
static std::string escaped(const char* name) {
  std::string text;
  for (; *name; ++name) text += std::string(std::strchr("\\,[]\"", *name) ? "\\" : "") + *name;
  return text;
}

int main(int count, char** arguments) {
  std::string left = count > 1 ? "" : "*";
  for (int i = 1; i < count; ++i) {
    const std::string name = escaped(arguments[i]);
    left += "~\"" + name + "\" ~\"" + name + " - *\" ";
  }
  const char* const told[] = {arguments[0], left.c_str(), "--reporter", "compact", "--out", "/dev/null"};
  return Catch::Session().run(6, told) > 255;
}
