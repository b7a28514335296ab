// The catalog: its names exist, the requested variant runs, a variant that cannot run reports the reason, and every
// variant passes the check.
#include "upsweep/core/catalog.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

#include "tests/devices.hpp"
#include "upsweep/conformance/check.hpp"
#include "upsweep/conformance/conformance.hpp"
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/nbody/nbody_problem.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented/segmented_problem.hpp"
#include "upsweep/select/select_problem.hpp"
#include "upsweep/sort/sort_problem.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"
#include "upsweep/vector_add.hpp"

namespace upsweep {
namespace {

using tests::expect_error;

const char* const cuda_names[]{"vector-add/one-thread-per-element",
                               "reduce/sequential",
                               "reduce/global-interleaved",
                               "reduce/global-sequential",
                               "reduce/interleaved-divergent",
                               "reduce/interleaved-strided",
                               "reduce/sequential-addressing",
                               "reduce/first-add-on-load",
                               "reduce/unrolled-last-warp",
                               "reduce/fully-unrolled",
                               "reduce/grid-stride",
                               "reduce/warp-shuffle",
                               "reduce/cooperative-groups",
                               "scan/sequential",
                               "scan/thread-per-output",
                               "scan/hillis-steele",
                               "scan/hillis-steele-block",
                               "scan/kogge-stone-warp",
                               "scan/sklansky",
                               "scan/brent-kung",
                               "scan/blelloch",
                               "scan/blelloch-block",
                               "scan/blelloch-padded",
                               "scan/blelloch-doubly-padded",
                               "scan/scan-then-propagate",
                               "scan/reduce-then-scan",
                               "scan/decoupled-lookback",
                               "sort/bitonic",
                               "sort/odd-even-merge",
                               "sort/quicksort",
                               "sort/merge-path",
                               "sort/radix-1bit",
                               "sort/radix-4bit-block",
                               "sort/radix-reduce-then-scan",
                               "sort/onesweep",
                               "select/scan-scatter",
                               "select/warp-aggregated",
                               "select/lookback",
                               "histogram/global-atomics",
                               "histogram/sort-based",
                               "histogram/shared-privatized",
                               "histogram/lane-private",
                               "integral/rows-then-columns",
                               "integral/transpose",
                               "integral/transpose-padded",
                               "integral/single-pass",
                               "convolve/naive",
                               "convolve/constant-mask",
                               "convolve/shared-tile",
                               "convolve/register-blocked",
                               "convolve/2d-naive",
                               "convolve/2d-shared-tile",
                               "convolve/2d-separable",
                               "convolve/2d-register-blocked",
                               "nbody/thread-per-body",
                               "nbody/shared-tile",
                               "nbody/split-j",
                               "nbody/barnes-hut"};

// The textbook variants of the OpenCL course have the names of their CUDA counterparts.
const char* const opencl_names[]{"reduce/global-interleaved", "reduce/global-sequential", "scan/hillis-steele",
                                 "scan/blelloch-padded"};

bool there(std::string_view name, backend where) { return find_variant(name, where) != nullptr; }

TEST(Catalog, HasEveryTextbookName) {
#if UPSWEEP_WITH_CUDA
  for (const char* name : cuda_names) EXPECT_TRUE(there(name, backend::cuda)) << name;
#else
  for (const char* name : cuda_names) EXPECT_FALSE(there(name, backend::cuda)) << name << " without CUDA";
#endif
#if UPSWEEP_WITH_OPENCL
  for (const char* name : opencl_names) EXPECT_TRUE(there(name, backend::opencl)) << name;
#endif
  EXPECT_TRUE(there("reduce/sequential", backend::cpu));
  EXPECT_TRUE(there("scan/sequential", backend::cpu));
}

TEST(Catalog, EveryEntryIsWhole) {
  std::set<std::pair<std::string_view, backend>> seen;
  for (const variant& v : catalog()) {
    SCOPED_TRACE(std::string(v.name) + " on " + std::string(name_of(v.where)));
    EXPECT_TRUE(seen.insert({v.name, v.where}).second) << "listed twice";
    EXPECT_TRUE(v.name.starts_with(name_of(v.what)) && v.name.size() > name_of(v.what).size() + 1 &&
                v.name[name_of(v.what).size()] == '/');
    EXPECT_GE(v.year, 1890);
    EXPECT_LE(v.year, 2026);
    EXPECT_FALSE(v.source.empty());
    EXPECT_FALSE(v.teaches.empty());
    ASSERT_NE(v.own, nullptr);
    EXPECT_NE(v.refuses, nullptr);
    EXPECT_NE(v.starts, nullptr);
    EXPECT_TRUE(v.inclusive || v.exclusive);
    for (const formula& f : {v.work, v.span, v.launches, v.traffic}) {
      ASSERT_NE(f.value, nullptr);
      EXPECT_STRNE(f.text, "");
      for (double n : {1.0, 1000.0, 1e6, 1e9}) {
        EXPECT_GE(f.value(n), 0);
        EXPECT_LE(f.value(n), f.value(2 * n)) << f.text << " falls as n grows";
      }
    }
    EXPECT_GE(v.launches.value(1e6), 1) << v.launches.text;
    EXPECT_GE(v.traffic.value(1e6), 1e6) << "no fold reads less than every element";
    const bool restricted =
        v.max_n != ~std::uint64_t{0} || !v.inclusive || !v.exclusive || !v.transforms || v.needs_commutative;
    EXPECT_TRUE(!restricted || !v.limits.empty()) << "it is restricted and does not say why";
  }
}

TEST(Catalog, UnknownNamesGetTheNearest) {
  expect_error(fault::bad_argument, {"scan/sequentail", "similar names are scan/sequential"},
               [] { context::cpu().with({.variant = "scan/sequentail"}); });
  expect_error(fault::bad_argument, {"similar names are"}, [] { require_variant("", backend::cpu); });
}

TEST(Catalog, KnownNamesElsewhereSayWhere) {
  for (const variant& v : catalog())
    if (v.where != backend::cpu && !there(v.name, backend::cpu)) {
      expect_error(fault::unsupported, {std::string(v.name), "not on cpu", std::string(name_of(v.where))},
                   [&] { context::cpu().with({.variant = v.name}); });
      return;
    }
}

TEST(Catalog, WhyNotSaysWhy) {
  const context cpu = context::cpu(1);
  detail::scan_impl::variant v;
  v.name = "scan/limited";
  v.what = detail::scan_impl::primitive::scan;
  v.max_n = 1024;
  v.exclusive = false;
  v.needs_commutative = true;
  v.transforms = false;
  v.limits = "one block";
  const auto says = [&](const problem& asked) { return why_not(erased(v), cpu.device(), asked); };
  detail::scan_impl::problem p;
  p.inclusive = true;
  p.n = 1024;
  EXPECT_EQ(says(p), "");
  p.n = 1025;
  EXPECT_EQ(says(p), "scan/limited takes at most 1024 elements, not 1025 (one block)");
  p.n = 1;
  p.inclusive = false;
  EXPECT_EQ(says(p), "scan/limited is an inclusive scan only (one block)");
  p.inclusive = true;
  p.transform = transform_kind::square;
  EXPECT_EQ(says(p), "scan/limited has no fused transform (one block)");
  p.transform = transform_kind::identity;
  p.type = dtype::u64;
  p.op = op_kind::compose_affine;
  EXPECT_EQ(says(p), "scan/limited needs an operator that commutes (one block)");
  p.type = dtype::f32;
  EXPECT_EQ(says(p), "scan/limited does not take compose_affine on f32 (one block)");
  EXPECT_EQ(says(detail::reduce_impl::problem{}), "scan/limited is not a variant of reduce");
  v.where = backend::cuda;
  EXPECT_EQ(says(p), "scan/limited runs on cuda, not on cpu");
}

struct one_variant {
  std::string device;
  const variant* v;
};
void PrintTo(const one_variant& o, std::ostream* out) { *out << o.v->name << " on " << o.device; }

std::vector<one_variant> every_variant_on_every_device() {
  std::vector<one_variant> all;
  for (const std::string& name : tests::device_names())
    for (const variant& v : catalog())
      if (v.where == tests::on(name).kind()) all.push_back({name, &v});
  return all;
}

struct EveryVariant : testing::TestWithParam<one_variant> {
  const context& where() const { return tests::on(GetParam().device); }
  const variant& v() const { return *GetParam().v; }
  bool lacks() const { return lacking(v(), where().device()) != nullptr; }
};
INSTANTIATE_TEST_SUITE_P(, EveryVariant, testing::ValuesIn(every_variant_on_every_device()), [](const auto& info) {
  return tests::safe(info.param.device + "_" + std::string(info.param.v->name));
});

// Runs the first conformance test that the variant supports through the library's own choice of variant. Empty if the
// result is right.
std::string run_by_conformance_test(const target& to, const variant& v) {
  device& d = to.on();
  const conformance_test& e = conformance_test_of(v.what);
  std::vector<problem> taken;
  for (const std::uint64_t turn : {1, 0, 2, 3})
    for (problem p : e.forms(false)) {
      p->n = 33;
      e.complete(p, 1, turn);
      if (taken.empty() && why_not(v, d, p).empty()) taken.push_back(p);
    }
  for (problem p : taken) {
    const std::vector<array> arrays = e.arrays(p, 1, input_kind::uniform);
    std::vector<std::vector<std::byte>> host;
    for (const array& a : arrays) {
      host.emplace_back(a.bytes() + 1, std::byte{poison});
      if (a.fill) fill_all(a, host.back().data());
      a.slot(p) = d.allocate(a.bytes() + 1);
      d.upload(a.slot(p), host.back().data(), host.back().size());
    }
    run(to, p);
    problem done = p;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      d.download(host[i].data(), arrays[i].slot(p), host[i].size());
      d.deallocate(arrays[i].slot(p));
      arrays[i].slot(done) = {host[i].data(), 0};
    }
    return e.wrong(done, 33);
  }
  return "it takes no form of its conformance test";
}

// The requested variant runs, or the call reports why it cannot; no other variant runs in its place.
TEST_P(EveryVariant, RunsWhenAskedFor) {
  const context asking = where().with({.variant = v().name});
  const std::vector<std::uint32_t> host(33, 2);
  buffer<std::uint32_t> x(asking, host), y(asking, host.size());
  if (v().what == detail::reduce_impl::primitive::reduce) {
    if (why_not(v(), where().device(),
                core::fold_problem<detail::reduce_impl::problem, std::uint32_t, plus, identity>({}, {}, 33, 0))
            .empty()) {
      EXPECT_EQ(reduce(asking, x.span()), 66u);
      EXPECT_EQ(reduce(asking, host), 66u);
    } else {
      EXPECT_THROW(reduce(asking, x.span()), error);
      const std::vector<float> floats(33, 0.5f);
      EXPECT_EQ(reduce(asking, floats), 16.5f);
    }
  } else if (v().what == detail::scan_impl::primitive::scan) {
    if (v().inclusive) {
      inclusive_scan(asking, x.span(), y.span());
      EXPECT_EQ(y.download().back(), 66u);
    } else {
      exclusive_scan(asking, x.span(), y.span());
      EXPECT_EQ(y.download().back(), 64u);
    }
  } else if (v().what == detail::vector_add_impl::primitive::vector_add) {
    vector_add(asking, x.span(), x.span(), y.span());
    EXPECT_EQ(y.download().back(), 4u);
  } else if (lacks()) {
    EXPECT_EQ(run_by_conformance_test(asking, v()), "it takes no form of its conformance test");
    return;
  } else {
    EXPECT_EQ(run_by_conformance_test(asking, v()), "");
  }
  EXPECT_EQ(asking.last_algorithm(), v().name);
}

// upsweep/conformance/check.hpp describes the requirements on a variant.
TEST_P(EveryVariant, PassesTheCheck) {
  check_options options;
  // Fresh input every time; a failure's text names the seed, and this brings it back.
  const char* seed = std::getenv("UPSWEEP_SEED");
  options.seed = seed ? std::strtoull(seed, nullptr, 10) : std::random_device{}();
  options.quick = true;  // a sample of the cases; `upsweep check` runs all
  const check_report report = check_variant(where().device(), v(), options);
  if (lacks())
    EXPECT_EQ(report.cases, 0u);
  else
    EXPECT_GT(report.cases, 0u);
  for (const check_failure& f : report.failures) ADD_FAILURE() << f.what << ": " << f.wrong;
  EXPECT_EQ(report.failed, 0u);
}

template <class P>
void expect_library_variants(const context& where) {
  for (dtype type : folding_dtypes)
    for (op_kind op : all_ops) {
      if (!accepts(op, type) || !where.device().supports(type)) continue;
      P p;
      p.type = type;
      p.op = op;
      p.n = 1000;
      EXPECT_EQ(choose(where, problem(p)).kind, variant_kind::tuned)
          << where.name() << " " << name_of(op) << " " << name_of(type);
    }
}

TEST(Catalog, FastestIsALibraryVariant) {
  for (const std::string& name : tests::device_names()) {
    expect_library_variants<detail::reduce_impl::problem>(tests::on(name));
    expect_library_variants<detail::scan_impl::problem>(tests::on(name));
  }
}

// Holds for the whole catalog and for a single algorithm: the slower reproducible sum runs only on request.
TEST(Catalog, TheWholeCatalogChoosesAsTheRoomDoes) {
  const context cpu = context::cpu(2);
  const auto p = core::fold_problem<detail::reduce_impl::problem, float, plus, identity>({}, {}, 1000, 0);
  EXPECT_EQ(choose(cpu, problem(p)).name, detail::reduce_impl::choose(cpu, p).name);
  const auto q = core::fold_problem<detail::scan_impl::problem, float, plus, identity>({}, {}, 1000, 0);
  EXPECT_EQ(choose(cpu, problem(q)).name, detail::scan_impl::choose(cpu, q).name);
}

TEST(Catalog, TheContextThatAskedForNothingRunsTheFastest) {
  const context cpu = context::cpu(1), asking = cpu.with({.variant = "reduce/sequential"});
  const std::vector<int> x(100, 1);
  reduce(asking, x);
  EXPECT_EQ(cpu.last_algorithm(), "reduce/sequential");
  reduce(cpu, x);
  EXPECT_NE(cpu.last_algorithm(), "reduce/sequential");
}

}  // namespace
}  // namespace upsweep
