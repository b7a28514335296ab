// How a user's .cu file is read: what becomes of launches, shared memory and device variables, and what is refused.
#include <gtest/gtest.h>

#include "lens/own/assembly.hpp"
#include "lens/own/rewrite.hpp"
#include "lens/own/table.hpp"
#include "lens/own/tokens.hpp"

namespace {

using namespace upsweep::lens::own;

struct no_files : inclusions {
  std::string instead_of(const std::string& name, bool, const std::string&) override {
    return name == "mine.h" ? "/copies/mine.h" : "";
  }
};

rewritten of(const std::string& text) {
  no_files files;
  return rewrite("a.cu", text, files);
}

bool has(const std::string& text, const std::string& piece) { return text.find(piece) != std::string::npos; }

TEST(own_source, comments_and_strings_are_no_words) {
  const auto words = tokens_of("a /* b\nc */ \"d // e\" R\"x(f\")\")x\" // g \\\nh\n i");
  ASSERT_EQ(words.size(), 4u);
  EXPECT_EQ(words[1].text, "\"d // e\"");
  EXPECT_EQ(words[2].text, "R\"x(f\")\")x\"");
  EXPECT_EQ(words[3].text, "i");
  EXPECT_EQ(words[3].line, 4u);
}

TEST(own_source, a_launch_becomes_a_call_on_its_line) {
  const rewritten r =
      of("__global__ void k(int* p, int n);\nvoid f() {\n  k<<<dim3(4, 2),\n      n >> 2>>>(p, 3);\n}\n");
  EXPECT_TRUE(
      has(r.text, "upsweep_lens::launch(\"k\", k, upsweep_lens::configuration(dim3(4, 2),\n      n >> 2))(p, 3);"))
      << r.text;
  EXPECT_EQ(std::count(r.text.begin(), r.text.end(), '\n'), 5);
}

TEST(own_source, a_template_is_launched_by_its_call) {
  const rewritten r =
      of("template <class T, int b> __global__ void k(T* p) {}\nvoid f() { a::k<float, 2><<<1, b>>>(p); }");
  EXPECT_TRUE(has(r.text, "[&](auto... upsweep_a) { a::k<float, 2>(upsweep_a...); }")) << r.text;
}

TEST(own_source, a_kernel_that_is_launched_by_a_call_is_named_without_a_cast) {
  const auto call = [](const std::string& kernel) {
    const std::string text = of("void f() {\n  cudaLaunchKernel(" + kernel + ", 1, 32, a, 0, 0);\n}\n").text;
    return text.substr(text.find("cudaLaunchKernel("), text.find(';') - text.find("cudaLaunchKernel("));
  };
  for (const char* cast : {"(void*)", "(const void *)", "(void const*)"})
    EXPECT_EQ(call(cast + std::string("k<float, 2>")), "cudaLaunchKernel(k<float, 2>, 1, 32, a, 0, 0)") << cast;
  EXPECT_EQ(call("reinterpret_cast<const void*>(k)"), "cudaLaunchKernel((k), 1, 32, a, 0, 0)");
  EXPECT_EQ(call("k"), "cudaLaunchKernel(k, 1, 32, a, 0, 0)");
  EXPECT_EQ(call("(void (*)(int*))k"), "cudaLaunchKernel((void (*)(int*))k, 1, 32, a, 0, 0)");
  EXPECT_EQ(call("(kernels[2])"), "cudaLaunchKernel((kernels[2]), 1, 32, a, 0, 0)");
}

TEST(own_source, a_kernels_clusters_are_its_launches) {
  const rewritten r =
      of("constexpr int two = 2;\n__global__ void __cluster_dims__(two, 1, 1) __launch_bounds__(32) k(int* p) {}\n"
         "void f() { k<<<4, 32>>>(p); }\n");
  EXPECT_TRUE(has(r.text, "upsweep_lens::configuration(4, 32).in_clusters(two, 1, 1))(p);")) << r.text;
}

TEST(own_source, shared_memory_is_the_blocks_own) {
  const rewritten r =
      of("__global__ void k() {\n  __shared__ volatile float a[8][9], b;\n  extern __shared__ int c[];\n}");
  EXPECT_TRUE(has(r.text, "typedef  volatile float upsweep_type_of_a[8][9], upsweep_type_of_b;")) << r.text;
  EXPECT_TRUE(has(r.text, "auto& b = upsweep_lens::shared_of<upsweep_type_of_b>")) << r.text;
  EXPECT_TRUE(has(r.text, "auto& c = upsweep_lens::dynamic_shared_of<upsweep_type_of_c>")) << r.text;
  EXPECT_TRUE(r.dynamic_shared);
}

TEST(own_source, device_variables_are_told_and_functions_are_not) {
  const rewritten r =
      of("__constant__ float w[9];\n__device__ int n = 3, m;\n__device__ float f(int x) { return x; }\n"
         "struct s {\n  __device__ s() {}\n};\n");
  EXPECT_TRUE(has(r.text, "upsweep_symbol_w(w, \"w\", upsweep_lens::constant)")) << r.text;
  EXPECT_TRUE(has(r.text, "upsweep_symbol_m(m, \"m\", upsweep_lens::variable)")) << r.text;
  EXPECT_FALSE(has(r.text, "upsweep_symbol_f") || has(r.text, "upsweep_symbol_s")) << r.text;
}

TEST(own_source, assembly_becomes_a_call_on_its_lines) {
  const rewritten r =
      of("__device__ int f(int* p) {\n  int x, y;\n  asm volatile(\"ld.global.v2.u32 {%0, %1},\\n\"\n"
         "               \" [%2];\" : \"=r\"(x), \"=r\"(y) : \"l\"(p + g(1, 2)) : \"memory\");\n  return x + y;\n}\n");
  EXPECT_TRUE(r.refused.empty());
  EXPECT_TRUE(has(r.text, "upsweep_lens::assembly(\"ld.global.v2.u32 {%0, %1},\\n\"\n")) << r.text;
  EXPECT_TRUE(has(r.text, ", upsweep_lens::out(x)") && has(r.text, ", upsweep_lens::out(y)") &&
              has(r.text, ", upsweep_lens::in(p + g(1, 2))"))
      << r.text;
  EXPECT_FALSE(has(r.text, "memory")) << r.text;
  EXPECT_EQ(std::count(r.text.begin(), r.text.end(), '\n'), 6);
}

TEST(own_source, assembly_is_read_instruction_by_instruction) {
  const ptx_statement s = read_ptx(
      "{\n.reg .pred set;\n.reg .b32 bit, votes;\nagain:\nsetp.ne.u32 set, %1, 0x10;\n@!set bra again;\n"
      "ld.relaxed.gpu.global.v2.u64 {%0, bit}, [%2 + 8];\nmov.u32 votes, %%lanemask_lt;\n}");
  EXPECT_EQ(s.wrong, "");
  ASSERT_EQ(s.all.size(), 4u);
  EXPECT_EQ(s.all[0].arguments[2].values[0].bits, 16u);
  EXPECT_TRUE(s.all[1].unless && s.all[1].guard >= 0);
  EXPECT_EQ(s.all[1].target, 0u);
  EXPECT_EQ(s.all[2].vector(), 2u);
  EXPECT_EQ(s.all[2].bits(), 64u);
  EXPECT_TRUE(s.all[2].arguments[1].in_memory);
  EXPECT_EQ(s.all[2].arguments[1].offset, 8);
  EXPECT_EQ(s.all[3].arguments[1].values[0].what, ptx_value::lane_mask);

  const ptx_statement c = read_ptx("mov.u32 %0, %%cluster_ctarank;\nmov.u32 %1, %%nclusterid.y;");
  EXPECT_EQ(c.wrong, "");
  EXPECT_EQ(c.all[0].arguments[1].values[0].what, ptx_value::of_cluster);
  EXPECT_EQ(c.all[0].arguments[1].values[0].bits, static_cast<std::uint64_t>(upsweep_lens::rank_in_it));
  EXPECT_EQ(c.all[1].arguments[1].values[0].bits, static_cast<std::uint64_t>(upsweep_lens::clusters + 1));
  for (const char* known :
       {"barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.wait_group.read 1;"})
    EXPECT_EQ(not_understood(known), "");
  for (const char* unknown : {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                              "[%0], [%1], %2, [%3], %4;",
                              "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%0, {%1}], [%2];",
                              "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;",
                              "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];",
                              "mov.u32 %0, %%cluster_ctaid;", "mov.u32 %0, %%cluster_ctaid.w;"})
    EXPECT_NE(not_understood(unknown), "") << unknown;

  EXPECT_EQ(not_understood("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%0}, [%1], 16;"),
            "wmma.load.a.sync.aligned.row.m16n16k16.f16");
  EXPECT_EQ(not_understood("add.u32 %0, %1, %2; brkpt;"), "brkpt");
  EXPECT_EQ(not_understood("mov.u32 %0, %%clock;"), "%clock");
  EXPECT_EQ(not_understood("ld.global.u32 %0, [%1"), "[");
  EXPECT_NE(not_understood("bra nowhere;"), "");
  EXPECT_EQ(not_understood(""), "");
}

TEST(own_source, parameters_are_known_by_name) {
  no_files files;
  rewrite("a.cu",
          "__global__ void __launch_bounds__(256) k(const std::pair<int, int>* in, float (*f)[4], int n = 2) {}",
          files);
  ASSERT_EQ(files.kernels.size(), 1u);
  EXPECT_EQ(files.kernels[0].name, "k");
  EXPECT_TRUE(files.kernels[0].has_defaults);
  ASSERT_EQ(files.kernels[0].parameters.size(), 3u);
  EXPECT_EQ(files.kernels[0].parameters[0], "in");
  EXPECT_EQ(files.kernels[0].parameters[2], "n");
}

TEST(own_source, a_main_is_seen_and_files_of_ones_own_are_followed) {
  EXPECT_TRUE(of("int main() { return 0; }").has_main);
  EXPECT_FALSE(of("// int main()\nvoid f() { int main(3); }").has_main);
  EXPECT_TRUE(
      has(of("#include \"mine.h\"\n#include <vector>\n").text, "#include \"/copies/mine.h\"\n#include <vector>"));
}

TEST(own_source, what_is_not_understood_is_told_by_line) {
  const auto first = [](const std::string& text) {
    const rewritten r = of(text);
    return r.refused.empty() ? std::string() : std::to_string(r.refused[0].line) + ": " + r.refused[0].what;
  };
  EXPECT_EQ(first("\n__device__ void f() {\n  asm(\"trap;\");\n}"), "3: the assembly instruction trap");
  EXPECT_EQ(first("#include <thrust/sort.h>\n"), "1: <thrust/sort.h>, a library of its own,");
  EXPECT_EQ(first("void f() {\n auto g = cg::this_grid(); }"), "2: a group larger than a block or a cluster");
  EXPECT_EQ(first("__global__ void k() {\n  k<<<1, 1>>>();\n}"),
            "2: a kernel that launches a kernel (dynamic parallelism)");
  EXPECT_EQ(first("__device__ long f() { return clock(); }"), "1: a clock (time means nothing on this machine)");
  EXPECT_EQ(first("long f() { return clock(); }"), "");
  const std::string taken = "1: memory that a kernel takes for itself (malloc, new)";
  EXPECT_EQ(first("__global__ void k(int** p) { *p = (int*)malloc(4); }"), taken);
  EXPECT_EQ(first("__device__ int* f() { return new int[4]; }"), taken);
  EXPECT_EQ(first("__device__ void f(int* p) { new (p) int(3); pool.malloc(4); }"), "");
  EXPECT_EQ(first("int* f() { free(malloc(4)); return new int[4]; }"), "");
  EXPECT_EQ(first("__shared__ int x[4];"), "1: a __shared__ variable outside of a function");
  EXPECT_EQ(first("// asm\nconst char* s = \"asm\";"), "");
  EXPECT_EQ(first("#ifdef WITH_ASM\n void f() { asm(\"\"); }\n#endif\n"), "");
}

}  // namespace
