// How literals reach the functions of an OpenCL C source that name them, and that kernels do not depend on them.
#include <gtest/gtest.h>

#include "tests/devices.hpp"
#include "upsweep/jit/jit.hpp"
#include "upsweep/opencl/opencl_device.hpp"
#include "upsweep/opencl/opencl_expression_literals.hpp"

namespace {

using namespace upsweep;

const std::vector<core::literal> one{{core::literal_type::f32, {}}}, two{{core::literal_type::i32, {}}, {}};

TEST(PassedLiterals, FollowTheCalls) {
  EXPECT_EQ(
      opencl::pass_literals("static int asked(int x) { return x > upsweep_literal_0; }\n"
                            "#define ASK(x) asked(x)\n"
                            "static int apart(int x) { return x; }  // asked(x)\n"
                            "static int both(int x) {\n  if (x) { return ASK(apart(x)); }\n  return 0;\n}\n"
                            "kernel void run(global int* x) { x[0] = both(apart(x[1])) + both(asked(2)); }\n",
                            one),
      "static int asked(int x, const float upsweep_literal_0) { return x > upsweep_literal_0; }\n"
      "#define ASK(x) asked(x, upsweep_literal_0)\n"
      "static int apart(int x) { return x; }  // asked(x)\n"
      "static int both(int x, const float upsweep_literal_0) {\n  if (x) { return ASK(apart(x)); }\n  return 0;\n}\n"
      "kernel void run(global int* x, const float upsweep_literal_0) { x[0] = both(apart(x[1]), upsweep_literal_0) + "
      "both(asked(2, upsweep_literal_0), upsweep_literal_0); }\n");
}

TEST(PassedLiterals, ComeLastInEveryKernel) {
  EXPECT_EQ(opencl::pass_literals("#define GROUP kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
                                  "GROUP void run(int x\n#if MORE\n, int y\n#endif\n) {}\n"
                                  "static int none(void) { return upsweep_literal_1 + none(); }\n",
                                  two),
            "#define GROUP kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
            "GROUP void run(int x\n#if MORE\n, int y\n#endif\n, const int upsweep_literal_0, const int "
            "upsweep_literal_1) {}\n"
            "static int none(const int upsweep_literal_0, const int upsweep_literal_1) { return upsweep_literal_1 + "
            "none(upsweep_literal_0, upsweep_literal_1); }\n");
}

// A macro of the name of a function that leads to no literal, in another branch of an #if.
TEST(PassedLiterals, TellMacrosFromFunctions) {
  EXPECT_EQ(opencl::pass_literals("static int op(int a) { return a + upsweep_literal_0; }\n"
                                  "#if PLAIN\n#define join(a, b) op(a)\n#else\n"
                                  "static int join(int a, int b) { return a; }\n#endif\n"
                                  "static int all(int a) { return join(a, 1); }\n",
                                  one),
            "static int op(int a, const float upsweep_literal_0) { return a + upsweep_literal_0; }\n"
            "#if PLAIN\n#define join(a, b) op(a, upsweep_literal_0)\n#else\n"
            "static int join(int a, int b) { return a; }\n#endif\n"
            "static int all(int a, const float upsweep_literal_0) { return join(a, 1); }\n");
  EXPECT_EQ(opencl::pass_literals("kernel void run(int x) {}", {}), "kernel void run(int x) {}");
}

// A server that builds an expression of each request's constant makes no kernel of it.
TEST(PassedLiterals, OfAllValuesShareAKernel) {
  const auto names = tests::device_names();
  if (std::find(names.begin(), names.end(), "opencl:0") == names.end()) GTEST_SKIP() << "there is no OpenCL device";
  const opencl::device& d = opencl::of(tests::on("opencl:0").device());
  const auto kernel = [&](const std::string& literal) {
    opencl::preamble p{"a test"};
    p.function("ulong twice_of(ulong i)", "the source", "2 * i + " + literal);
    p.source +=
        "#define OPERANDS global ulong* p0,\n#define ARGUMENTS , p0\n"
        "static inline void at_index(ulong i, global ulong* to) { to[i] = twice_of(i); }\n";
    return d.kernel({"for_each/opencl/for_each_opencl.cl"}, "", "each", p.source);
  };
  const opencl::loaded_kernel first = kernel("17");
  ASSERT_EQ(first.literals.size(), 2u);
  for (const char* literal : {"18", "19", "123456"}) EXPECT_EQ(kernel(literal).kernel(), first.kernel()) << literal;
  EXPECT_NE(kernel("19l").kernel(), first.kernel());
}

}  // namespace
