// Errors about user-defined device source, from the logs of OpenCL compilers: in clang's form, PoCL's and NVIDIA's.
#include <gtest/gtest.h>

#include "upsweep/core/build_log.hpp"

namespace {

using upsweep::core::complaint_about_source;
using upsweep::core::first_error;

// A program as jit/jit.hpp assembles it; the operator's source begins in the sixth line.
constexpr const char* program =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#line 1 \"the type's definition\"\n"
    "typedef struct { int key; } entry;\n"
    "#line 1 \"upsweep\"\n"
    "static inline entry op_of_source(entry a, entry b) {\n  return (\n"
    "#line 1 \"the operator's source\"\n"
    "a.key < 0 ?\n"
    "  b : c\n"
    "#line 1 \"upsweep\"\n"
    "  );\n}\n"
    "kernel void fold() { missing(); }\n";

void expect_told(const char* log, const char* place, const char* message) {
  SCOPED_TRACE(log);
  const auto c = complaint_about_source(log, program);
  ASSERT_TRUE(c.has_value());
  EXPECT_EQ(c->place, place);
  EXPECT_EQ(c->message, message);
}

TEST(BuildLog, TellsThePlaceInTheUsersSource) {
  const char* const place = "the operator's source, line 2, character 7";
  const char* const message = "use of undeclared identifier 'c'";
  expect_told("the operator's source:2:7: error: use of undeclared identifier 'c'\n  b : c\n      ^\n", place, message);
  expect_told("error: the operator's source:2:7: use of undeclared identifier 'c'\n", place, message);
  expect_told("warning: x\r\nthe operator's source:2:7: fatal error: use of undeclared identifier 'c'\r\n", place,
              message);
  // NVIDIA's counts the program's lines, whatever #line says of them.
  expect_told("<kernel>:9:7: error: use of undeclared identifier 'c'\n  b : c\n      ^\n", place, message);
  expect_told("<kernel>:9:7: error: use of undeclared identifier 'c'\n", place, message);
  expect_told("<kernel>:3:18: error: unknown type name 'in'\ntypedef struct { int key; } entry;\n",
              "the type's definition, line 1, character 18", "unknown type name 'in'");
  // The library's own lines are passed over.
  expect_told(
      "<kernel>:13:22: error: no 'missing'\nkernel void fold() { missing(); }\n"
      "<kernel>:8:1: error: use of undeclared identifier 'd'\na.key < 0 ?\n",
      "the operator's source, line 1, character 1", "use of undeclared identifier 'd'");
}

TEST(BuildLog, TellsNoPlaceThatIsNoneOfTheUsers) {
  for (const char* log :
       {"", "\n", "the operator's source\n", "the operator's source:2:7: warning: unused\n", "upsweep:3:1: error: no\n",
        "<kernel>:13:22: error: no 'missing'\n", "<kernel>:99:1: error: no\n", "<kernel>:error: no\n",
        // The line shown is another than the one counted: it is not known which is meant.
        "<kernel>:9:7: error: no 'c'\n  something else\n", "<kernel>:9:7: warning: unused\n",
        "<kernel>:0:0: error: no\n", "<kernel>:99999999999999999999999:1: error: no\n"})
    EXPECT_FALSE(complaint_about_source(log, program).has_value()) << log;
}

TEST(BuildLog, FirstErrorIsTheLineThatSaysIt) {
  EXPECT_EQ(first_error("a warning\nx.cl:1: error: no\nmore\n"), "x.cl:1: error: no");
  EXPECT_EQ(first_error("error: no"), "error: no");
  EXPECT_EQ(first_error("\n  something\nelse"), "something");
  EXPECT_EQ(first_error(" \n"), "the compiler gave no reason");
}

}  // namespace
