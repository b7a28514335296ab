// Compiles the algorithms' kernels with device source by NVRTC, for GPUs of every generation: this needs the toolkit's
// libnvrtc and no GPU. Also tests the error messages for wrong device source.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/jit_operators.hpp"
#include "tests/on_cuda.hpp"
#include "upsweep/cuda/nvrtc.hpp"
#include "upsweep/recurrence/cuda/recurrence_cuda_jit.hpp"
#include "upsweep/reduce/cuda/reduce_cuda_jit.hpp"
#include "upsweep/scan/cuda/scan_cuda_jit.hpp"
#include "upsweep/search/jit/search_jit.hpp"
#include "upsweep/segmented/jit/segmented_jit.hpp"
#include "upsweep/sets/cuda/sets_cuda_jit.hpp"
#include "upsweep/sort/jit/sort_jit.hpp"
#include "upsweep/transform/jit/transform_jit.hpp"

namespace {

using namespace upsweep;
using detail::select_impl::selection;
using opencl::compiler;
using tests::expect_error;

constexpr std::uint64_t hopper = 227 << 10, least = 48 << 10;  // shared memory of a block

// Turing, Ampere, Hopper, Blackwell.
constexpr std::initializer_list<int> every_generation{75, 80, 90, 120};

struct Nvrtc : testing::Test {
  void SetUp() override {
    if (cuda::nvrtc_version().empty()) GTEST_SKIP() << "there is no libnvrtc here";
    ::setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);  // nothing is read from a disk, nor left on one
  }
};

void expect_code(const cuda::kernel_source& k, int capability) {
  SCOPED_TRACE(std::string(k.call) + " for " + std::to_string(capability));
  const cuda::compiled_kernels c = cuda::compile(k, capability);
  EXPECT_EQ(c.compiled_for, capability);
  EXPECT_EQ(c.kernels.size(), k.kernels.size());
  EXPECT_GT(c.image.size(), 1000u);
  for (const std::string& name : c.kernels) EXPECT_EQ(name.substr(0, 2), "_Z") << name;
}

template <class T, class Op, class F = identity>
void expect_folds_compile(const Op& op, const F& f, std::initializer_list<int> capabilities) {
  const T init = identity_of<T>(op);
  const auto k = opencl::make_custom<T, Op, F>("a fold", init, op, f, compiler::cuda);
  for (const int capability : capabilities) {
    expect_code(cuda::reduce_kernel_source(k), capability);
    expect_code(cuda::scan_kernel_source(k, hopper), capability);
  }
  expect_code(cuda::scan_kernel_source(k, least), *capabilities.begin());
}

TEST_F(Nvrtc, FoldsForEveryGeneration) {
  expect_folds_compile<std::uint32_t>(last_set{}, identity{}, every_generation);
}
// PTX of the newest that this NVRTC knows, for its driver to translate.
TEST_F(Nvrtc, ForGpusThatItDoesNotKnow) {
  const std::uint32_t init = 0;
  const auto k =
      opencl::make_custom<std::uint32_t, last_set, identity>("reduce", init, last_set{}, identity{}, compiler::cuda);
  const cuda::compiled_kernels c = cuda::compile(cuda::reduce_kernel_source(k), 9990);
  EXPECT_GE(c.compiled_for, 90);
  EXPECT_LT(c.compiled_for, 9990);
  EXPECT_NE(c.image.find(".version"), std::string::npos);
  expect_error(fault::unsupported, {"compute capability 5.0"},
               [&] { cuda::compile(cuda::reduce_kernel_source(k), 50); });
}
TEST_F(Nvrtc, FoldsOfTypesOfAUser) {
  expect_folds_compile<record>(first_kept{}, identity{}, {90});
  expect_folds_compile<square_matrix>(product{}, identity{}, {80});
}
TEST_F(Nvrtc, FoldsOfTypesThatNothingWasCompiledFor) {
  expect_folds_compile<std::uint8_t>(plus{}, identity{}, {75});
  expect_folds_compile<half>(plus{}, square{}, {90});
  expect_folds_compile<bfloat16>(minimum{}, identity{}, {90});
}
// Threads and tiles pass on a wider type than the element: the compilation checks its size.
TEST_F(Nvrtc, FoldsThatCarryMoreThanElements) {
  expect_folds_compile<float>(plus{}, expression("x * 2.0f"), {90});
  expect_folds_compile<double>(plus{}, expression("x * 2.0"), {90});
  expect_folds_compile<double>(multiplies{}, expression("x * 2.0"), {75});
}
TEST_F(Nvrtc, FoldsByExpressions) {
  expect_folds_compile<float>(expression("a > b ? a : b", 0.0f), expression("sqrt(fabs(x)) + fmin(x, 1.0f)"), {100});
}

// Units that differ in literals' values alone are one to the compiler, and have a variable for the values.
TEST_F(Nvrtc, ExpressionsShareTheirCode) {
  const auto fold = [](const std::string& t) {
    const float init = 0;
    const expression op("a > b ? a : b", 0.0f);
    const expression f("x > " + t + " ? x * 2.5f : (float)-" + t);
    return cuda::reduce_kernel_source(
        opencl::make_custom<float, expression<float>, expression<>>("reduce", init, op, f, compiler::cuda));
  };
  const cuda::hoisted_kernels one = cuda::hoisted(fold("17")), other = cuda::hoisted(fold("18"));
  EXPECT_EQ(cuda::key_of(one.kernels, 90), cuda::key_of(other.kernels, 90));
  EXPECT_NE(cuda::key_of(one.kernels, 90), cuda::key_of(cuda::hoisted(fold("17.0")).kernels, 90));
  ASSERT_EQ(one.literals.size(), 3u);
  EXPECT_EQ(one.literals[1].type, core::literal_type::f32);
  EXPECT_EQ(other.literals[0].bytes[0], 18);
  expect_code(one.kernels, 75);
  expect_code(one.kernels, 90);
  EXPECT_NE(cuda::compile(one.kernels, 90).image.find(cuda::literals_name), std::string::npos);

  opencl::question q = opencl::ask<std::int32_t, compiler::cuda>("copy_if", expression("x > 17 && x % 10 != 0x30"));
  const opencl::selection_jit s{"copy_if", std::move(q), {}, 0, selection::where, {}};
  const cuda::hoisted_kernels asked = cuda::hoisted(cuda::select_kernel_source(s, hopper));
  EXPECT_EQ(asked.literals.size(), 2u);
  expect_code(asked.kernels, 90);
}

void expect_selection(opencl::question q, selection how, std::initializer_list<int> capabilities) {
  const opencl::selection_jit s{"a selection", std::move(q), {}, 0, how, {}};
  for (const int capability : capabilities) expect_code(cuda::select_kernel_source(s, hopper), capability);
  expect_code(cuda::select_kernel_source(s, least), *capabilities.begin());
}

TEST_F(Nvrtc, SelectionsForEveryGeneration) {
  expect_selection(opencl::ask<std::uint32_t, compiler::cuda>("copy_if", is_odd{}), selection::where, every_generation);
}
TEST_F(Nvrtc, SelectionsOfEveryKind) {
  expect_selection(opencl::ask<record, compiler::cuda>("copy_if", has_odd_key{}), selection::where, {90});
  expect_selection(opencl::ask<std::uint32_t, compiler::cuda>("partition", is_odd{}), selection::partition, {90});
  expect_selection(opencl::ask<std::uint32_t, compiler::cuda>("three_way_partition", is_odd{}, by_third{}),
                   selection::three_way_partition, {90});
  opencl::selection_jit others;
  others.call = "the others", others.asked = opencl::ask<record, compiler::cuda>("copy_if", is_heavy{});
  others.negated = true;
  expect_code(cuda::select_kernel_source(others, hopper, true), 75);
  expect_selection(opencl::ask_neighbours<record, compiler::cuda>("unique", core::equals{}), selection::unique, {90});
}

TEST_F(Nvrtc, SelectionsWithWhatGoesBeside) {
  const memory there{this, 0};
  opencl::selection_jit s{
      "beside", opencl::ask_neighbours<record, compiler::cuda>("beside", core::equals{}), {}, 0, selection::unique, {}};
  expect_code(cuda::select_kernel_source(s, hopper, false, {{there, {}, 12}, 4}), 90);    // values
  expect_code(cuda::select_kernel_source(s, hopper, false, {{{}, {}, 8}, 1, true}), 90);  // run lengths
  expect_code(cuda::select_kernel_source(s, least, false, {{{}, {}, 8}}), 75);            // places
  s.asked = opencl::ask<std::uint32_t, compiler::cuda>("stencil", is_odd{}), s.how = selection::partition;
  expect_code(cuda::select_kernel_source(s, hopper, false, {{there, {}, 32}, 8}), 90);  // a stencil
  s.asked = cuda::flags_jit<square_matrix>().asked, s.how = selection::flagged;
  cuda::beside_selected flagged;
  flagged.flags = there;
  expect_code(cuda::select_kernel_source(s, hopper, false, flagged), 80);
}

template <class K, class T, class Op>
void expect_by_key(const Op& op, detail::segmented_impl::primitive what, std::initializer_list<int> capabilities) {
  const T init = identity_of<T>(op);
  const auto k = opencl::make_custom<T, Op, identity>("by key", init, op, identity{}, compiler::cuda);
  opencl::question q = opencl::ask_neighbours<K, compiler::cuda>("by key", core::equals{});
  const cuda::keys_jit keys{nullptr, std::move(q.before), q.bytes};
  for (const int capability : capabilities) expect_code(cuda::by_key_kernel_source(k, keys, what, hopper), capability);
  expect_code(cuda::by_key_kernel_source(k, keys, what, least), *capabilities.begin());
}

TEST_F(Nvrtc, ByKeyAndBySegment) {
  using detail::segmented_impl::primitive;
  expect_by_key<std::uint32_t, std::uint32_t>(last_set{}, primitive::reduce_by_key, every_generation);
  expect_by_key<std::uint32_t, std::uint32_t>(last_set{}, primitive::scan_by_key, {80, 120});
  expect_by_key<std::uint32_t, std::uint32_t>(last_set{}, primitive::segmented_scan, {75, 120});
  expect_by_key<record, float>(plus{}, primitive::reduce_by_key, {90});
  expect_by_key<std::uint32_t, double>(plus{}, primitive::segmented_scan, {90});
  expect_by_key<record, record>(first_kept{}, primitive::reduce_by_key, {90});
  expect_by_key<record, square_matrix>(product{}, primitive::scan_by_key, {90});
  expect_by_key<std::uint32_t, record>(first_kept{}, primitive::segmented_scan, {90});
  expect_by_key<std::uint32_t, record>(first_kept{}, primitive::segmented_reduce, {90});
}

template <class K, class Compare>
void expect_order(const Compare& by, std::initializer_list<cuda::order_program> programs, std::uint64_t value_bytes,
                  std::initializer_list<int> capabilities) {
  const auto order = opencl::order_of<K, compiler::cuda>("an order", by);
  for (const int capability : capabilities)
    for (const auto what : programs) expect_code(cuda::order_kernel_source(order, what, value_bytes), capability);
}

TEST_F(Nvrtc, OrdersForEveryGeneration) {
  using enum cuda::order_program;
  expect_order<std::uint32_t>(by_last_digit{}, {sort_some}, 0, every_generation);
  expect_order<std::uint32_t>(by_last_digit{}, {sort_few, sort_many}, 0, {90, 120});
  expect_order<std::uint32_t>(by_last_digit{}, {split_wide, merge_two, find_break}, 0, {75, 120});
  expect_order<std::uint32_t>(expression("a % 10 < b % 10"), {sort_few, sort_some}, 4, {75, 80});
}
TEST_F(Nvrtc, OrdersOfTypesOfAUser) {
  using enum cuda::order_program;
  expect_order<record>(by_record_key{}, {sort_few, sort_many}, 0, {90});
  expect_order<record>(by_record_key{}, {merge_two, find_break}, 0, {80});
  expect_order<square_matrix>(by_trace{}, {sort_some}, 8, {75});
}

TEST_F(Nvrtc, SearchesOfEveryKind) {
  using detail::search_impl::bound, detail::search_impl::seek;
  const auto test = cuda::search_jit<record, record, seek::passing>("a search", is_heavy{}, true, true);
  for (const int capability : every_generation)
    expect_code(cuda::question_kernel_source(test, seek::passing), capability);
  const auto equality = cuda::search_jit<std::uint32_t, std::uint32_t, seek::unequal>("a search", same_hundred{});
  for (const seek how : {seek::adjacent, seek::one_of, seek::beginning, seek::unequal, seek::apart})
    expect_code(cuda::question_kernel_source(equality, how), 90);
  const detail::search_impl::exchanged<by_trace> greatest{};
  const auto order = cuda::search_jit<square_matrix, square_matrix, seek::apart>("a search", greatest);
  for (const int capability : every_generation) {
    expect_code(cuda::best_kernel_source(order), capability);
    expect_code(cuda::bounds_kernel_source(order, bound::lower, 8), capability);
  }
  for (const bound side : {bound::upper, bound::found})
    expect_code(cuda::bounds_kernel_source(order, side, side == bound::found ? 1 : 8), 75);
}

TEST_F(Nvrtc, SetsForEveryGeneration) {
  const auto alone = cuda::sets_jit<std::uint32_t, core::equals, false>("a set", by_last_digit{});
  for (const int capability : every_generation) expect_code(cuda::sets_kernel_source(alone), capability);
  expect_code(cuda::sets_kernel_source(cuda::sets_jit<record, record, true>("a set", by_record_key{})), 90);
  expect_code(cuda::sets_kernel_source(cuda::sets_jit<record, double, false>("a set", by_record_key{})), 90);
}

template <class T, class F, class... V>
opencl::map_kernel map_of(const F& f) {
  opencl::map_kernel k;
  k.call = "a map", k.before.of = compiler::cuda;
  (k.in.push_back({{}, sizeof(V), opencl::type_source<V>(k)}), ...);
  opencl::set_function<F, V...>(k, f);
  k.result_type = opencl::type_source<T>(k), k.bytes = sizeof(T);
  return k;
}

TEST_F(Nvrtc, MapsForEveryGeneration) {
  const auto squares = map_of<float, expression<>, float>(expression("x * x + 1"));
  const auto tags = map_of<std::uint32_t, expression<>, std::uint32_t, std::uint32_t>(expression("a ^ b"));
  const auto places = map_of<std::uint64_t, expression<>>(expression("i * i"));
  auto some = map_of<record, first_kept, record, record>(first_kept{});
  some.in.push_back(some.in.front());
  opencl::set_test<record>(some, is_heavy{});
  auto replaced = map_of<float, expression<>, float>(expression("x"));
  opencl::set_test<float>(replaced, less_than(1.0f));
  replaced.value.assign(sizeof(float), '\0');
  for (const int capability : every_generation)
    for (const opencl::map_kernel* k :
         std::initializer_list<const opencl::map_kernel*>{&squares, &tags, &places, &some, &replaced})
      expect_code(cuda::map_kernel_source(*k, 1000), capability);
  expect_code(cuda::map_kernel_source(some, std::uint64_t{1} << 30), 90);
}

// Functions and steps whose whole definition is device source.
UPSWEEP_WITH_SOURCE(scaled, {
  float* data;
  float factor;
  UPSWEEP_HD void operator()(std::uint64_t i) const { data[i] *= factor; }
});
UPSWEEP_WITH_SOURCE(least_above, {
  const std::uint32_t* data;
  std::uint64_t* first;
  std::uint32_t bound;
  UPSWEEP_HD void operator()(std::uint64_t i) const {
    if (i < upsweep::least_so_far(first) && data[i] > bound) upsweep::take_least(first, i);
  }
});
// A running maximum, read where it is; and the same by element.
UPSWEEP_WITH_SOURCE(running_most, {
  using state = std::uint32_t;
  using map = std::uint32_t;
  const std::uint32_t* in;
  std::uint32_t* out;
  UPSWEEP_HD map identity() const { return 0; }
  UPSWEEP_HD map extend(map f, std::uint64_t i) const { return f < in[i] ? in[i] : f; }
  UPSWEEP_HD map operator()(map f, map g) const { return f < g ? g : f; }
  UPSWEEP_HD state apply(map f, state s) const { return f < s ? s : f; }
  UPSWEEP_HD state step(std::uint64_t i, state s) const { return out[i] = s < in[i] ? in[i] : s; }
});
UPSWEEP_WITH_SOURCE(most_by_element, {
  using state = double;
  using map = double;
  using element = double;
  static constexpr int sequences = 1;
  const double* in;
  double* out;
  UPSWEEP_HD map identity() const { return -1e300; }
  UPSWEEP_HD map extend(map f, std::uint64_t i) const { return f < in[i] ? in[i] : f; }
  UPSWEEP_HD map extend(map f, const double(&at)[1]) const { return f < at[0] ? at[0] : f; }
  UPSWEEP_HD map operator()(map f, map g) const { return f < g ? g : f; }
  UPSWEEP_HD state apply(map f, state s) const { return f < s ? s : f; }
  UPSWEEP_HD state step(std::uint64_t i, state s) const { return out[i] = s < in[i] ? in[i] : s; }
  UPSWEEP_HD double advance(const double(&at)[1], double& s) const { return s = s < at[0] ? at[0] : s; }
  UPSWEEP_HD const double* from(int) const { return in; }
  UPSWEEP_HD double* to() const { return out; }
});
// Maps of 48 bytes in a small shape, aligned as nothing else of theirs.
UPSWEEP_WITH_SOURCE(wide_maps, {
  struct alignas(16) map {
    std::uint64_t x[6];
  };
  using state = map;
  map* out;
  UPSWEEP_HD map identity() const { return {}; }
  UPSWEEP_HD map extend(map f, std::uint64_t i) const {
    f.x[i % 6] += i;
    return f;
  }
  UPSWEEP_HD map operator()(map f, const map& g) const {
    for (int k = 0; k < 6; ++k) f.x[k] += g.x[k];
    return f;
  }
  UPSWEEP_HD state apply(map f, const state& s) const { return (*this)(s, f); }
  UPSWEEP_HD state step(std::uint64_t i, const state& s) const { return out[i] = extend(s, i); }
});

TEST_F(Nvrtc, FunctionsAndStepsForEveryGeneration) {
  const scaled s{};
  const least_above l{};
  const running_most stepped{};
  const most_by_element streamed{};
  const wide_maps wide{};
  for (const int capability : every_generation) {
    expect_code(cuda::for_each_kernel_source(core::coded(s)), capability);
    expect_code(cuda::for_each_kernel_source(core::coded(l)), capability);
    for (const std::uint64_t limit : {hopper, least}) {
      expect_code(cuda::recurrence_kernel_source(cuda::coded_steps_of(stepped), limit), capability);
      expect_code(cuda::recurrence_kernel_source(cuda::coded_steps_of(streamed), limit), capability);
      expect_code(cuda::recurrence_kernel_source(cuda::coded_steps_of(wide), limit), capability);
    }
  }
}

// By statements and steps in operands that they name.
struct weighed {
  device_span<const record> from;
  device_span<float> to;
  float by;
  bool twice;
  record beside;
  std::string source =
      "global const record* r = from + i;\nif (r->tag % 3 != 0) to[i] = r->x * by * (twice ? 2 : 1) + beside.x;";
  auto named_operands() const { return named("from", from, "to", to, "by", by, "twice", twice, "beside", beside); }
};
struct least_of_class {
  device_span<const std::uint32_t> x;
  device_span<std::uint64_t> least;
  static constexpr const char* source =
      "global ulong* to = least + x[i] % 7; if (i < least_so_far(to)) take_least(to, i);";
  auto named_operands() const { return named("x", x, "least", least); }
};
struct last_records {
  using state = record;
  using map = record;
  device_span<const record> x;
  device_span<std::uint32_t> tags;
  std::uint8_t of;
  record identity() const { return {-1000, 0, 0}; }
  steps_source source{.extend = "x[i].tag % of == 0 ? f : (record){x[i].key, f.x + x[i].x, x[i].tag}",
                      .compose = "g.key == -1000 ? f : (record){g.key, f.x + g.x, g.tag}",
                      .apply = "f.key == -1000 ? s : f",
                      .step = "(tags[i] = s.tag,\n x[i].tag % of == 0 ? s : x[i])"};
  auto named_operands() const { return named("x", x, "tags", tags, "of", of); }
};

TEST_F(Nvrtc, StatementsAndStepsInNamedOperands) {
  const weighed w{};
  const least_of_class l{};
  const last_records r{};
  for (const int capability : every_generation) {
    expect_code(cuda::index_kernel_source(opencl::index_source_of("for_each_index", w)), capability);
    expect_code(cuda::index_kernel_source(opencl::index_source_of("for_each_index", l)), capability);
    for (const std::uint64_t limit : {hopper, least})
      expect_code(cuda::recurrence_kernel_source(opencl::recurrence_source_of(r), limit), capability);
  }
}

TEST_F(Nvrtc, WrongStatementsAndStepsAreToldWithTheirPlace) {
  weighed w{};
  w.source = "to[i] = 1;\nto[i] = missing;";
  expect_error(fault::bad_argument, {"for_each_index, the function's source, line 2", "\"missing\" is undefined"},
               [&] { cuda::compile(cuda::index_kernel_source(opencl::index_source_of("for_each_index", w)), 90); });
  last_records r{};
  r.source.compose = "g.key == 0 ?\n f : f.missing";
  expect_error(fault::bad_argument, {"recurrence, the composition's source, line 2", "missing"},
               [&] { cuda::compile(cuda::recurrence_kernel_source(opencl::recurrence_source_of(r), hopper), 90); });
}

struct misnamed {
  float* data;
};
constexpr code_source upsweep_source_of(const misnamed*) {
  return {"misnamed",
          "struct misnamed {\n  float* data;\n  void operator()(unsigned long i) const { date[i] = 1; }\n};"};
}
struct of_another_size {
  float* data;
};
constexpr code_source upsweep_source_of(const of_another_size*) {
  return {"of_another_size", "struct of_another_size { float x[3]; void operator()(unsigned long) const {} };"};
}
TEST_F(Nvrtc, WrongDefinitionsAreToldWithTheirPlace) {
  const misnamed m{};
  expect_error(fault::bad_argument,
               {"for_each_index, the source of misnamed, line 3, character", "\"date\" is undefined"},
               [&] { cuda::compile(cuda::for_each_kernel_source(core::coded(m)), 90); });
  const of_another_size o{};
  expect_error(fault::bad_argument, {"for_each_index"},
               [&] { cuda::compile(cuda::for_each_kernel_source(core::coded(o)), 90); });
}

struct of_source {
  std::string source;
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
  static std::uint32_t identity() { return 0; }
};

void expect_wrong(const char* source, std::vector<std::string> pieces) {
  SCOPED_TRACE(source);
  const std::uint32_t init = 0;
  expect_error(fault::bad_argument, std::move(pieces), [&] {
    const auto k = opencl::make_custom<std::uint32_t, of_source, identity>("reduce", init, of_source{source},
                                                                           identity{}, compiler::cuda);
    cuda::compile(cuda::reduce_kernel_source(k), 90);
  });
}

TEST_F(Nvrtc, WrongTextsAreToldWithTheirPlace) {
  expect_wrong("a + c", {"reduce, the operator's source, line 1, character 5", "\"c\" is undefined"});
  expect_wrong("a +\n  b.x", {"the operator's source, line 2"});
  expect_wrong("a + f(b)", {"the operator's source, line 1, character 5", "\"f\" is undefined"});
  expect_wrong("a + (b", {"the operator's source, line 1, character 5", "never closed"});
}

// C's (record){...} is C++'s record{...}.
TEST(TextsForCuda, CompoundLiterals) {
  EXPECT_EQ(opencl::as_cpp("(pair){a.x, b.y}"), " pair {a.x, b.y}");
  EXPECT_EQ(opencl::as_cpp("a.x ? (pair) {1, 2} : b"), "a.x ?  pair  {1, 2} : b");
  EXPECT_EQ(opencl::as_cpp("pair f(pair a) { return (pair){a.x, (int)a.y}; }"),
            "pair f(pair a) { return  pair {a.x, (int)a.y}; }");
  for (const char* same : {"if (flag) { x = 1; }", "f(x) + (a) * (b)", "(a)", "while (n){}", "void f(pair){}"})
    EXPECT_EQ(opencl::as_cpp(same), same);
}

// The cache finds code by all that it depends on.
TEST_F(Nvrtc, KeysHoldVersionsAndSources) {
  const auto order = opencl::order_of<std::uint32_t, compiler::cuda>("an order", by_last_digit{});
  const cuda::kernel_source k = cuda::order_kernel_source(order, cuda::order_program::find_break);
  const std::string key = cuda::key_of(k, 90);
  const std::string of_nvrtc = "nvrtc " + cuda::nvrtc_version() + " ";
  for (const char* piece : {"upsweep 0.", of_nvrtc.c_str(), "capability 90", "a % 10 < b % 10"})
    EXPECT_NE(key.find(piece), std::string::npos) << piece << " is not in: " << key;
  EXPECT_EQ(cuda::key_of(k, 90), key);
  EXPECT_NE(cuda::key_of(k, 80), key);
  cuda::kernel_source other = k;
  const cuda::embedded_source changed[]{{k.sources[0].name, "// another"}, {nullptr, nullptr}};
  other.sources = changed;
  EXPECT_NE(cuda::key_of(other, 90), key);
  other = k, other.unit += " ";
  EXPECT_NE(cuda::key_of(other, 90), key);
  other = k, other.kernels.pop_back();
  EXPECT_NE(cuda::key_of(other, 90), key);
}

// Compiles into a folder of its own, and once more where there is no NVRTC: exits with 0 where the second finds it.
[[noreturn]] void compile_and_find_without_nvrtc(bool first, const char* folder) {
  ::setenv("XDG_CACHE_HOME", folder, 1);
  if (!first) ::setenv("UPSWEEP_NVRTC", "/nowhere/libnvrtc.so", 1);
  const auto order = opencl::order_of<std::uint32_t, compiler::cuda>("an order", by_last_digit{});
  try {
    const auto c = cuda::compile(cuda::order_kernel_source(order, cuda::order_program::find_break), 90);
    std::_Exit(c.compiled_for == 90 ? 0 : 2);
  } catch (const error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::_Exit(1);
  }
}
TEST_F(Nvrtc, WhatIsKeptDoesWithoutNvrtc) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // Such a death test begins anew in another process, whose folder is this one's.
  const char* const named = std::getenv("UPSWEEP_TEST_FOLDER");
  const std::string folder = named ? named : testing::TempDir() + "upsweep-kept-" + std::to_string(::getpid());
  ::setenv("UPSWEEP_TEST_FOLDER", folder.c_str(), 1);
  EXPECT_EXIT(compile_and_find_without_nvrtc(true, folder.c_str()), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(compile_and_find_without_nvrtc(false, folder.c_str()), testing::ExitedWithCode(0), "");
  ::unsetenv("UPSWEEP_TEST_FOLDER");
  std::filesystem::remove_all(folder);
}

// Compiles without NVRTC: exits with 0 if the error says that it is missing.
[[noreturn]] void compile_without_nvrtc() {
  ::setenv("UPSWEEP_NVRTC", "/nowhere/libnvrtc.so", 1);
  ::setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  const std::uint32_t init = 0;
  const auto k =
      opencl::make_custom<std::uint32_t, last_set, identity>("reduce", init, last_set{}, identity{}, compiler::cuda);
  try {
    cuda::compile(cuda::reduce_kernel_source(k), 90);
  } catch (const error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::_Exit(e.why() == fault::unsupported ? 0 : 2);
  }
  std::_Exit(1);
}

// On a GPU the work that a call by device source enqueues can be captured and replayed, and a second call allocates
// nothing. A captured call has temporary storage of its own, which the graph owns.
struct RecordedJitCalls : tests::on_cuda {};

TEST_F(RecordedJitCalls, RunAgain) {
  const tests::cuda_stream stream;
  const context where = context::cuda_on_stream(stream.handle());
  const std::size_t n = 300007;
  const auto x = made_many<std::uint32_t>(n, 4);
  const buffer<std::uint32_t> in(where, x);
  buffer<std::uint32_t> sums(where, n), kept(where, n), mapped(where, n), by_key(where, n), last(where, 1),
      sorted(where, n);
  buffer<std::uint64_t> count(where, 1), found(where, 1);
  const auto all = [&] {
    reduce(where, in, last, last_set{});
    inclusive_scan(where, in, sums, last_set{});
    copy_if(where, in.span(), kept.span(), count.span(), is_odd{});
    transform(where, in, mapped, expression("x * 3"));
    inclusive_scan_by_key(where, in, in, by_key, 0u, last_set{});
    sort(where, in, sorted, by_last_digit{});
    find_if(where, in, found.span(), expression("x == 999"));
  };
  all();
  const auto before = where.device().temporary_storage_allocations();
  all();
  EXPECT_EQ(where.device().temporary_storage_allocations(), before);
  const tests::recording recorded(stream, all);
  sums.upload(std::vector<std::uint32_t>(n)), kept.upload(std::vector<std::uint32_t>(n));
  recorded.run();
  recorded.run();
  std::vector<std::uint32_t> want_sums, want_kept;
  std::uint32_t run = 0;
  for (const std::uint32_t e : x) {
    want_sums.push_back(run = last_set{}(run, e));
    if (is_odd{}(e)) want_kept.push_back(e);
  }
  expect_same(sums.download(), want_sums, "scanned");
  EXPECT_EQ(last.download()[0], run);
  EXPECT_EQ(count.download()[0], want_kept.size());
  auto got = kept.download();
  got.resize(want_kept.size());
  expect_same(got, want_kept, "kept");
  EXPECT_EQ(mapped.download()[n - 1], x[n - 1] * 3);
  auto want_sorted = x;
  std::stable_sort(want_sorted.begin(), want_sorted.end(), by_last_digit{});
  expect_same(sorted.download(), want_sorted, "sorted");
  EXPECT_EQ(found.download()[0], static_cast<std::uint64_t>(std::find(x.begin(), x.end(), 999u) - x.begin()));
}

// In a process of its own, as the library is looked for once.
TEST(TextsForCuda, WithoutNvrtc) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(compile_without_nvrtc(), testing::ExitedWithCode(0), "NVRTC.*UPSWEEP_NVRTC");
}

}  // namespace
