// transform and related calls on OpenCL: launches and catalog entries. The types and the function of a call are macros
// in front of transform_map.cl.
#include <array>

#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/transform/jit/transform_jit.hpp"
#include "upsweep/transform/transform_entries.hpp"

namespace upsweep {

namespace opencl {

namespace {

constexpr const char* type_names[]{"int",    "uint", "long",  "ulong", "float",
                                   "double", "char", "uchar", "short", "ushort"};
constexpr const char* wrapping_names[]{"uint",   "uint",  "ulong", "ulong",  "float",
                                       "double", "uchar", "uchar", "ushort", "ushort"};

const char* name_in_c(dtype t) { return type_names[static_cast<int>(t)]; }

std::string source_before(const map_kernel& k) {
  std::string parameters, read, typed, named, given, tested;
  preamble before = k.before;
  before.call = k.call;
  const std::size_t of_function = k.in.size() - (k.test.empty() ? 0 : 1);
  for (std::size_t j = 0; j < k.in.size(); ++j) {
    const std::string number = std::to_string(j), at = "in" + number, &type = k.in[j].type;
    parameters += "global const " + type + "* " + at + ", ulong " + at + "_at, ";
    read += "const " + type + " v" + number + " = " + at + "[" + at + "_at + k]; ";
    if (j >= of_function) continue;
    const std::string name = of_function == 1 ? "x" : std::string(1, static_cast<char>('a' + j));
    typed += (j ? ", " : "") + type + " " + name;
    named += (j ? ", " : "") + name;
    given += (j ? ", v" : "v") + number;
  }
  if (k.in.empty()) typed = "ulong i", named = "i", given = "first + k";
  std::string result = k.result, test = k.test;
  if (k.result_is_source) {
    before.function((k.function_type.empty() ? k.result_type : k.function_type) + " result_of_source(" + typed + ")",
                    "the function's source", result);
    result = "result_of_source(" + named + ")";
  }
  if (!k.test.empty()) {
    const std::string& type = k.in.back().type;
    if (k.test_is_source) {
      before.function("bool test_of_source(" + type + " x)", "the test's source", test);
      test = "test_of_source(x)";
    }
    tested = "\n#define TEST (" + test + ")\n#define TESTED v" + std::to_string(of_function) +
             "\n#define TESTED_TYPE " + type + (k.value.empty() ? "" : "\n#define REPLACED") +
             "\n#define CONSTANTS , " + type + " threshold, " + k.result_type + " value\n";
  } else {
    tested = "\n#define CONSTANTS\n";
  }
  return before.source + "\n#define PARAMETERS " + parameters + "\n#define READ " + read + "\n#define OUT " +
         k.result_type + "\n#define RESULT (" + result + ")\n#define FUNCTION_PARAMETERS " + typed +
         "\n#define ARGUMENTS " + given + tested;
}

template <std::size_t... I>
void launch_map(device& d, const loaded_kernel& kernel, const map_kernel& k, std::uint64_t first, std::uint64_t n,
                memory out, std::index_sequence<I...>) {
  const auto launch = [&](auto... constants) {
    d.launch(kernel, groups_for(n), lanes, operand{k.in[I].where, k.in[I].bytes}..., operand{out, k.bytes}, cl_ulong(n),
             cl_ulong(first), constants...);
  };
  if (k.test.empty()) return launch();
  std::string threshold = k.threshold, result = k.value;  // both are passed, even if the call does not use them
  threshold.resize(k.in.back().bytes), result.resize(k.bytes);
  launch(value{threshold.data(), threshold.size()}, value{result.data(), result.size()});
}

template <std::size_t Inputs = 0>
void launch_map(device& d, const loaded_kernel& kernel, const map_kernel& k, std::uint64_t first, std::uint64_t n,
                memory out) {
  if constexpr (Inputs > most_map_inputs) {
    throw error(
        fault::unsupported, k.call,
        "OpenCL takes at most " + std::to_string(most_map_inputs) + " inputs, not " + std::to_string(k.in.size()),
        "call it twice");
  } else if (k.in.size() == Inputs) {
    launch_map(d, kernel, k, first, n, out, std::make_index_sequence<Inputs>());
  } else {
    launch_map<Inputs + 1>(d, kernel, k, first, n, out);
  }
}

}  // namespace

void map(upsweep::device& any, const map_kernel& k, std::uint64_t first, std::uint64_t n, memory out) {
  device& d = of(any);
  if (n == 0) return;
  launch_map(d,
             d.kernel({"opencl/operators.cl", "transform/opencl/transform_map.cl"}, k.options, "map", source_before(k)),
             k, first, n, out);
}

namespace {

using detail::transform_impl::between;
using detail::transform_impl::problem;

std::string options_of(const problem& p, bool two) {
  std::string source = "-D TYPE_" + std::string(name_of(p.type));
  return two ? source + " -D OP_" + std::string(name_of(p.op))
             : source + " -D TRANSFORM_" + std::string(name_of(p.transform));
}

void transform(upsweep::device& d, const problem& p) {
  map_kernel k;
  k.call = "transform", k.options = options_of(p, p.two_inputs), k.bytes = size_of(p.type);
  k.result_type = name_in_c(p.type), k.result = p.subtracts ? "(a - b)" : p.two_inputs ? "OP(a, b)" : "F(x)";
  k.in.push_back({p.in, k.bytes, k.result_type});
  if (p.two_inputs) k.in.push_back({p.in2, k.bytes, k.result_type});
  map(d, k, 0, p.n, p.out);
}

void transform_some(upsweep::device& d, const problem& p) {
  map_kernel k;
  k.call = "transform_if", k.options = options_of(p, false), k.bytes = size_of(p.type);
  k.result_type = name_in_c(p.type), k.result = "F(x)";
  k.in = {{p.in, k.bytes, k.result_type}, {p.in2, k.bytes, k.result_type}};
  k.test = "x " + std::string(name_of(p.test)) + " threshold";
  k.threshold.assign(reinterpret_cast<const char*>(p.threshold.bytes), k.bytes);
  map(d, k, 0, p.n, p.out);
}

void replace(upsweep::device& d, const problem& p) {
  map_kernel k;
  k.call = "replace", k.bytes = size_of(p.type), k.result_type = name_in_c(p.type);
  k.options = p.type == dtype::f64 ? "-D TYPE_u32 -D WITH_f64" : "-D TYPE_u32";
  k.in = {{p.in, k.bytes, k.result_type}, {p.in2, k.bytes, k.result_type}};
  k.test = "x " + std::string(name_of(p.test)) + " threshold";
  k.threshold.assign(reinterpret_cast<const char*>(p.threshold.bytes), k.bytes);
  k.value.assign(reinterpret_cast<const char*>(p.value.bytes), k.bytes);
  map(d, k, 0, p.n, p.out);
}

void tabulate(upsweep::device& d, const problem& p) {
  map_kernel k;
  k.call = "tabulate", k.bytes = 4, k.result_type = "uint";
  set_function(k, detail::transform_impl::square_sum{});
  map(d, k, 0, p.n, p.out);
}

void fill(upsweep::device& any, const problem& p) {
  device& d = of(any);
  if (p.n == 0) return;
  const std::size_t bytes = size_of(p.type);
  d.launch(d.kernel({"transform/opencl/transform_fill.cl"}, std::string("-D WORD=") + word_name(bytes), "fill"),
           groups_for(p.n), lanes, operand{p.out, bytes}, cl_ulong(p.n), value{p.value.bytes, bytes});
}

void iota(upsweep::device& any, const problem& p) {
  device& d = of(any);
  if (p.n == 0) return;
  const std::size_t bytes = size_of(p.type);
  std::string options = std::string("-D T=") + name_in_c(p.type) + " -D U=" + wrapping_names[static_cast<int>(p.type)];
  if (p.type == dtype::f64) options += " -D WITH_f64";
  d.launch(d.kernel({"transform/opencl/transform_iota.cl"}, options, "iota"), groups_for(p.n), lanes,
           operand{p.out, bytes}, cl_ulong(p.n), value{p.value.bytes, bytes}, value{p.step.bytes, bytes},
           cl_ulong(p.from));
}

void copy(upsweep::device& d, const problem& p) {
  if (p.n) d.copy(p.out, p.in, p.n * size_of(p.type));
}

// The input is exactly the output's memory, or does not overlap it.
void combine_neighbours(upsweep::device& any, const problem& p) {
  device& d = of(any);
  if (p.n == 0) return;
  const std::size_t bytes = size_of(p.type);
  memory in = p.in;
  if (p.in.base == p.out.base && p.in.offset == p.out.offset) {
    in = d.scratch("adjacent-difference/input", std::max<std::uint64_t>(p.n * bytes, 16));
    d.copy(in, p.in, p.n * bytes);
  }
  const std::string options = options_of(p, true) + (p.neighbours == between::difference ? " -D DIFFERENCE" : "");
  d.launch(d.kernel({"opencl/operators.cl", "transform/opencl/transform_neighbours.cl"}, options, "combine_neighbours"),
           groups_for(p.n), lanes, operand{in, bytes}, operand{p.out, bytes}, cl_ulong(p.n));
}

}  // namespace

}  // namespace opencl

namespace detail::transform_impl {

std::span<const variant> opencl() {
  constexpr backend here = backend::opencl;
  const auto of_lanes = [](variant v) {
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "work-groups of 256 items";
    return v;
  };
  static const std::array list{
      of_lanes(
          entry(here, primitive::transform, "transform/item-per-element", "One item an element.", opencl::transform)),
      of_lanes(entry(here, primitive::fill, "fill/item-per-element", "One item an element, by width.", opencl::fill)),
      of_lanes(entry(here, primitive::iota, "iota/item-per-element", "One item an element.", opencl::iota)),
      entry(here, primitive::copy, "copy/by-the-driver", "The driver's copy within the device.", opencl::copy),
      of_lanes(entry(here, primitive::tabulate, "tabulate/item-per-element",
                     "One item an element; the function is its device source.", opencl::tabulate)),
      of_lanes(entry(here, primitive::transform_if, "transform-if/item-per-element", "One item an element asks first.",
                     opencl::transform_some)),
      of_lanes(entry(here, primitive::replace, "replace/item-per-element", "One item an element.", opencl::replace)),
      of_lanes(entry(here, primitive::adjacent_difference, "adjacent-difference/item-per-element",
                     "One item an element reads two; in place, of a copy.", opencl::combine_neighbours)),
  };
  return list;
}

}  // namespace detail::transform_impl

}  // namespace upsweep
