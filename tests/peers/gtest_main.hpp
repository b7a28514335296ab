// After a test written with GoogleTest: the main program. Each test once, a line of JSON each. The arguments are names
// of tests that are not to run.
#pragma once

#include <cstdio>
#include <string>

struct in_lines : testing::EmptyTestEventListener {
  static std::string name_of(const testing::TestInfo& test) {
    return std::string(test.test_suite_name()) + "." + test.name();
  }
  static void tell(const nlohmann::json& line) {
    std::printf("%s\n", line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).c_str());
    std::fflush(stdout);
  }
  void OnTestStart(const testing::TestInfo& test) override {
    on_upsweep::calls = 0;
    tell({{"test", name_of(test)}, {"outcome", "begun"}});
  }
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (part.failed()) why = std::string(part.summary()).substr(0, 400);
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    tell({{"test", name_of(test)},
          {"outcome", test.result()->Passed() ? "passed" : "failed"},
          {"calls", on_upsweep::calls},
          {"why", why}});
    why.clear();
  }
  std::string why;
};

int main(int count, char** arguments) {
  std::string filter = "*-";
  for (int i = 1; i < count; ++i) filter += std::string(i > 1 ? ":" : "") + arguments[i];
  testing::InitGoogleTest();
  testing::GTEST_FLAG(filter) = filter;
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new in_lines);
  (void)RUN_ALL_TESTS();
}
