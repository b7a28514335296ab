// Tests a conformance test with a correct variant and with variants that each have one error. The check must
// distinguish them.
#pragma once

#include <gtest/gtest.h>

#include "upsweep/conformance/check.hpp"
#include "upsweep/context.hpp"

namespace upsweep::tests {

// How a variant runs problems of one algorithm.
template <class P>
using runner = void (*)(device&, const P&);

template <class P>
check_report check_report_of(decltype(P::what) what, runner<P> run, bool quick = true,
                             std::uint64_t max_n = check_options{}.max_n) {
  variant_of<P> v;
  const std::string name = std::string(name_of(what)) + "/for-this-test";
  v.name = name;
  v.what = what;
  v.run = run;
  check_options options;
  options.quick = quick;
  options.max_n = max_n;
  return check_variant(context::cpu(1).device(), erased(v), options);
}

template <class P>
void expect_passes(decltype(P::what) what, runner<P> run) {
  const check_report report = check_report_of<P>(what, run);
  EXPECT_TRUE(report.ok()) << name_of(what) << ": "
                           << (report.failures.empty() ? "no cases"
                                                       : report.failures[0].what + ": " + report.failures[0].wrong);
}

// At least one variant must support `words`.
template <class P>
void expect_caught(decltype(P::what) what, runner<P> run, const std::string& words) {
  const check_report report = check_report_of<P>(what, run);
  EXPECT_FALSE(report.ok()) << name_of(what) << ": nobody said '" << words << "'";
  bool said = false;
  for (const check_failure& f : report.failures) said = said || f.wrong.find(words) != std::string::npos;
  EXPECT_TRUE(said) << name_of(what) << ": nobody said '" << words << "' but "
                    << (report.failures.empty() ? "nothing"
                                                : report.failures[0].what + ": " + report.failures[0].wrong);
}

}  // namespace upsweep::tests
