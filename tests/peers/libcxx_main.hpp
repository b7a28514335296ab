// After a pstl test of libc++'s, whose main is test_main here: the main program. One test a file, told in lines of
// JSON. It passes where it returns, or ends by std::exit(0), as it does where std::terminate was to be called and was.
#pragma once

#include <cstdio>

static void passed() {
  std::printf("%s\n",
              nlohmann::json({{"test", "main"}, {"outcome", "passed"}, {"calls", on_upsweep::calls}}).dump().c_str());
  std::fflush(stdout);
}

int main(int count, char** arguments) {
  if (count > 1) return 0;
  std::printf("{\"test\": \"main\", \"outcome\": \"begun\"}\n");
  std::fflush(stdout);
  std::atexit(passed);
  return test_main(count, arguments);
}
