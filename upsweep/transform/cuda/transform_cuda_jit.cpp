// transform and related calls with user-defined device source: the types and the function of a call precede the kernels
// of for_each.
#include <algorithm>

#include "upsweep/cuda/cuda_jit.hpp"
#include "upsweep/transform/jit/transform_jit.hpp"

namespace upsweep::cuda {

extern const embedded_source for_each_kernels[];

namespace {

constexpr std::uint64_t threads = 256, most_blocks = 1u << 30;  // as in for_each/for_each_cuda.cuh

// struct upsweep_map: what kernels are given, with the function that they call.
std::string unit_of(const opencl::map_kernel& k, bool by_test) {
  std::string members, typed, named, given;
  opencl::preamble before = k.before;
  before.call = k.call;
  const std::size_t of_function = k.in.size() - (by_test ? 1 : 0);
  for (std::size_t j = 0; j < k.in.size(); ++j) {
    const std::string number = std::to_string(j), &type = k.in[j].type;
    members += "  const " + type + "* in" + number + ";\n";
    if (j >= of_function) continue;
    const std::string name = of_function == 1 ? "x" : std::string(1, static_cast<char>('a' + j));
    typed += (j ? ", " : "") + type + " " + name;
    named += (j ? ", " : "") + name;
    given += (j ? ", in" : "in") + number + "[i]";
  }
  if (k.in.empty()) members = "  ulong from;\n", typed = "ulong i", named = "i", given = "from + i";
  if (!by_test || k.value.empty()) {
    std::string result = k.result;
    if (k.result_is_source) {
      before.function((k.function_type.empty() ? k.result_type : k.function_type) + " result_of_source(" + typed + ")",
                      "the function's source", result);
      result = "result_of_source(" + named + ")";
    }
    before.source += "static inline " + k.result_type + " upsweep_mapped(" + typed + ") { return " + result + "; }\n";
  }
  std::string unit =
      "#include \"upsweep/for_each/for_each_cuda.cuh\"\n#include \"upsweep/operators.hpp\"\n"
      "#include \"upsweep/cuda/jit/jit_opencl_names.cuh\"\n";
  if (!by_test)
    return unit + before.source + "struct upsweep_map {\n" + members + "  " + k.result_type +
           " operator()(ulong i) const { return upsweep_mapped(" + given + "); }\n};\n";
  const std::string &type = k.in.back().type, last = "in" + std::to_string(of_function) + "[i]";
  std::string test = k.test;
  if (k.test_is_source) {
    before.function("bool test_of_source(" + type + " x)", "the test's source", test);
    test = "test_of_source(x)";
  }
  const std::string size = std::to_string(k.in.back().bytes), result_size = std::to_string(k.bytes);
  unit += before.source + "struct bytes_of_one { unsigned char byte[" + size + "]; };\n" +
          "struct bytes_of_result { unsigned char byte[" + result_size + "]; };\n" + "struct upsweep_map {\n" +
          members + "  " + k.result_type + "* out;\n  bytes_of_one its_threshold;\n  bytes_of_result its_value;\n" +
          "  bool passes(" + type + " x) const {\n    const auto threshold = __builtin_bit_cast(" + type +
          ", its_threshold);\n    (void)threshold;\n    return " + test + ";\n  }\n" +
          "  void operator()(ulong i) const {\n    const bool written = passes(" + last + ");\n";
  if (k.value.empty())
    unit += "    if (written) out[i] = upsweep_mapped(" + given + ");\n";
  else
    unit +=
        "    if (written) out[i] = __builtin_bit_cast(" + k.result_type + ", its_value);\n    else out[i] = in0[i];\n";
  return unit + "  }\n};\n";
}

// As store_each and for_each_index choose.
unsigned items_of(const opencl::map_kernel& k, std::uint64_t n) {
  if (!k.test.empty()) return n >= 1u << 22 ? 4 : 1;
  return k.bytes > 24 ? 1 : k.bytes > 8 ? 4 : 8;
}

}  // namespace

kernel_source map_kernel_source(const opencl::map_kernel& k, std::uint64_t n) {
  const bool by_test = !k.test.empty();
  kernel_source s{k.call, for_each_kernels, nullptr, unit_of(k, by_test), {"upsweep::cuda::call_each<upsweep_map>"}};
  if (!by_test)
    s.kernels = {"upsweep::cuda::store_results<" + std::to_string(items_of(k, n)) + ", " + k.result_type +
                 ", upsweep_map, upsweep::identity>"};
  return s;
}

void map(upsweep::device& where, const opencl::map_kernel& k, std::uint64_t first, std::uint64_t n, memory out) {
  device& d = of(where);
  if (n == 0) return;
  d.make_current();
  if (k.in.size() > opencl::most_map_inputs)
    throw error(fault::unsupported, k.call,
                "a function's device source takes at most " + std::to_string(opencl::most_map_inputs) +
                    " inputs, not " + std::to_string(k.in.size()),
                "call it twice");
  const bool by_test = !k.test.empty();
  const unsigned items = items_of(k, n);
  static const char forms[2]{};
  const jit_program& p = program_of(d, k.made, forms + by_test, [&] { return map_kernel_source(k, n); });
  argument_bytes given;
  for (const opencl::map_input& in : k.in) given.add(in.where.address());
  if (k.in.empty()) given.add(first);
  void* const to = out.address();
  if (by_test) {
    std::string threshold = k.threshold, result = k.value;  // both are passed, even if the call does not use them
    threshold.resize(k.in.back().bytes), result.resize(k.bytes);
    given.add(to).add(threshold.data(), threshold.size(), 1).add(result.data(), result.size(), 1);
  }
  const void* const all = given.done();
  const char nothing = 0;
  const std::uint64_t tile = threads * items;
  for (std::uint64_t begin = 0; begin < n; begin += tile * most_blocks) {
    const jit_launch l{.blocks = std::min((n - begin + tile - 1) / tile, most_blocks),
                       .threads = static_cast<int>(threads)};
    if (by_test)
      launch(d, k.call, p.kernels[0], l, {&begin, &n, &items, all});
    else
      launch(d, k.call, p.kernels[0], l, {&begin, &n, all, &nothing, &to});
  }
}

}  // namespace upsweep::cuda
