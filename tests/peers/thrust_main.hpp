// After a test of Thrust's: the main program, in place of testing/unittest's. Each test once, a line of JSON each.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#if defined(__CUDACC__)
#include <unittest/cuda/testframework.h>
#endif

static void tell(const std::string& name, const char* outcome, const std::string& why) {
  nlohmann::json line = {{"test", name}, {"outcome", outcome}, {"calls", on_upsweep::calls}};
  if (!why.empty()) line["why"] = why.substr(0, 400);
  std::printf("%s\n", line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

static std::vector<UnitTest*>& all() {
  static std::vector<UnitTest*> tests;
  return tests;
}
UnitTest::UnitTest(const char* called) : name(called) { all().push_back(this); }

#if defined(__CUDACC__)
int CUDATestDriver::current_device_architecture() const { return 0; }  // asked of no driver: there is none
#endif

// What a kernel left broken is not the next test's: the program ends, and those after it run in another.
static void end_if_broken() {
#if defined(__CUDACC__)
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::_Exit(3);
  }
#endif
}

// The arguments are names of tests that are not to run.
int main(int count, char** arguments) {
  const std::set<std::string> known(arguments + 1, arguments + count);
  for (UnitTest* test : all()) {
    if (known.contains(test->name)) continue;
    on_upsweep::calls = 0;
    std::printf("{\"test\": \"%s\", \"outcome\": \"begun\"}\n", test->name.c_str());
    std::fflush(stdout);
    try {
      test->run();
      end_if_broken();
      tell(test->name, "passed", "");
    } catch (const unittest::UnitTestKnownFailure& e) {
      tell(test->name, "known failure", e.message);
    } catch (const unittest::UnitTestException& e) {
      end_if_broken();
      tell(test->name, "failed", e.message);
    } catch (const std::exception& e) {
      end_if_broken();
      tell(test->name, "failed", e.what());
    }
  }
}
